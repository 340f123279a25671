import Foundation

/// The address of a database on a server, such as `postgresql://user@host/shop?schema=library`.
///
/// The options of the store (``ownNames``) are separated from the address. libpq receives the rest
/// unchanged. The description contains no password.
package struct ServerAddress: Sendable, Hashable {
    /// The address for libpq, which may contain a password.
    let connectionText: String
    package let database: String
    /// The decoded values of the store's options by their names.
    package let options: [String: String]
    package let description: String
    /// The passwords of the address, each in its encoded and its decoded form.
    private let secrets: [String]
    /// The option `connect_timeout`. libpq ignores it, because the caller waits for the connection.
    let openingMilliseconds: Int64?

    /// The options of the store.
    package static let ownNames: Set = [
        "isolation", "listen", "lock_timeout", "pool", "pool_idle", "pool_wait", "prepare",
        "schema", "statement_timeout",
    ]

    static var ownNamesText: String { ownNames.sorted().joined(separator: ", ") }
    package static let schemes: Set = ["postgresql", "postgres"]
    static let form = "postgresql://[user@][host[:port]]/database[?schema=…]"

    /// The schema that contains the tables.
    package var schema: String { options["schema"] ?? "public" }

    /// Reads an address.
    ///
    /// - Throws: an error with the part that is wrong and the remedy. The error contains no
    ///   password.
    package init(_ text: String) throws(ServerError) {
        let parts = try AddressParts(text)
        var own: [String: String] = [:]
        var others: [Substring] = []
        for item in parts.items {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else {
                throw .address("the option '\(item)' has no value; write \(item)=…")
            }
            let name = String(pair[0])
            guard Self.ownNames.contains(name) else {
                others.append(item)
                continue
            }
            guard let value = pair[1].removingPercentEncoding else {
                throw .address("the value of '\(name)' has a '%' that begins no code; write %25")
            }
            guard own.updateValue(value, forKey: name) == nil else {
                throw .address("the option '\(name)' occurs twice; remove one of them")
            }
        }
        if let schema = own["schema"] { try Self.check(schema: schema) }
        options = own
        let query = others.isEmpty ? "" : "?" + others.joined(separator: "&")
        connectionText = "postgresql://\(parts.authority)/\(parts.path)\(query)"
        database = parts.database
        let secretNames: Set = ["password", "sslpassword"]
        let values = others.filter { secretNames.contains(String($0.prefix { $0 != "=" })) }
            .map { $0.drop { $0 != "=" }.dropFirst() }
        secrets = ([parts.password].compactMap(\.self) + values).flatMap {
            [String($0), $0.removingPercentEncoding].compactMap(\.self)
        }.filter { !$0.isEmpty }
        let shown = parts.items.filter { !secretNames.contains(String($0.prefix { $0 != "=" })) }
        description =
            "postgresql://\(parts.shownAuthority)/\(parts.path)"
            + (shown.isEmpty ? "" : "?" + shown.joined(separator: "&"))
        openingMilliseconds = try Self.openingMilliseconds(others)
    }

    private static func openingMilliseconds(_ items: [Substring]) throws(ServerError) -> Int64? {
        guard let item = items.last(where: { $0.hasPrefix("connect_timeout=") }) else { return nil }
        guard let seconds = Int64(item.dropFirst("connect_timeout=".count)) else {
            throw .address("'\(item)' is not a number of seconds; write connect_timeout=10")
        }
        // libpq waits without a limit for 0 and negative numbers.
        return seconds <= 0 ? .max : min(seconds, 1_000_000) * 1000
    }

    private static func check(schema: String) throws(ServerError) {
        let longest = 63
        if schema.isEmpty {
            throw .address("the schema has no name; write ?schema=library, or leave it out")
        }
        if schema.utf8.count > longest {
            throw .address(
                "the schema '\(schema)' has \(schema.utf8.count) bytes; a name has at most"
                    + " \(longest)")
        }
        if schema.hasPrefix("pg_") || schema == "information_schema" {
            throw .address("the schema '\(schema)' belongs to PostgreSQL; choose another name")
        }
        if schema.contains("\0") {
            throw .address("the name of the schema contains U+0000; remove the character")
        }
    }

    /// A number from the address's options; nil if the option is missing.
    package func number(_ name: String, in range: ClosedRange<Int>) throws(ServerError) -> Int? {
        guard let text = options[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .address(
                "'\(name)=\(text)' is not a number from \(range.lowerBound) to"
                    + " \(range.upperBound); write \(name)=\(range.lowerBound)")
        }
        return number
    }

    /// A switch from the address's options; nil if the option is missing.
    package func isOn(_ name: String) throws(ServerError) -> Bool? {
        switch options[name] {
        case nil: nil
        case "on", "true", "yes", "1": true
        case "off", "false", "no", "0": false
        case let text?:
            throw .address("'\(name)=\(text)' is not a switch; write \(name)=on or \(name)=off")
        }
    }

    /// A text without the passwords of the address.
    func redacted(_ text: String) -> String {
        secrets.reduce(text) { $0.replacing($1, with: "…") }
    }
}

// A dump of an address must not show its passwords.
extension ServerAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}

extension ServerError {
    fileprivate static func address(_ problem: String) -> ServerError {
        ServerError(client: "the address of the server cannot be read: \(problem)")
    }
}

/// The parts of an address as they are written.
private struct AddressParts {
    let authority: Substring
    let path: Substring
    let items: [Substring]
    let database: String

    init(_ text: String) throws(ServerError) {
        guard let colon = text.firstIndex(of: ":"),
            ServerAddress.schemes.contains(text[..<colon].lowercased())
        else {
            throw .address(
                "it does not begin with 'postgresql://'; write \(ServerAddress.form)")
        }
        guard text[colon...].hasPrefix("://") else {
            throw .address(
                "'//' is missing behind the scheme; write postgresql:///shop for a database of"
                    + " the local server, or \(ServerAddress.form)")
        }
        if text.contains(where: \.isWhitespace) {
            throw .address("it contains a space; write %20 instead")
        }
        let rest = text[colon...].dropFirst(3)
        let location = rest.prefix { $0 != "?" }
        authority = location.prefix { $0 != "/" }
        path = location.dropFirst(authority.count + 1)
        let query = rest.dropFirst(location.count + 1)
        items = query.split(separator: "&")
        try Self.check(authority, path, query)
        guard let database = path.removingPercentEncoding else {
            throw .address("the name of the database has a '%' that begins no code; write %25")
        }
        self.database = database
        if database.isEmpty { throw Self.missingDatabase(authority) }
        if path.contains("/") {
            throw .address(
                "'\(path)' has two parts, and a database has one name; write the schema as"
                    + " ?schema=…, and '/' in a name as %2F")
        }
    }

    private static let codes = "write '@' as %40, ':' as %3A, '/' as %2F, '?' as %3F, '#' as %23"

    /// Finds characters of a password that are not written as codes. The problem does not show the
    /// part, because it may contain the password.
    private static func check(
        _ authority: Substring, _ path: Substring, _ query: Substring
    ) throws(ServerError) {
        let signs = authority.count { $0 == "@" }
        if signs > 1 || path.contains("@") || query.contains("@") && signs == 0 && path.isEmpty {
            throw .address(
                "a '@' is behind the name of the user; in a user name or password \(codes)")
        }
        if authority.contains("#") || path.contains("#") {
            throw .address("it contains '#'; in a name or password \(codes)")
        }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        for single in host.split(separator: ",") where !single.hasPrefix("[") {
            let parts = single.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count > 1 else { continue }
            let isPort = parts.count == 2 && (parts[1].isEmpty || UInt16(parts[1]) != nil)
            if !isPort {
                throw .address(
                    "the port behind the host is not a number from 1 to 65535; write"
                        + " host:5432, and in a password \(codes)")
            }
        }
    }

    private static func missingDatabase(_ authority: Substring) -> ServerError {
        let host = authority.split(separator: "@").last ?? ""
        guard !host.isEmpty, !host.contains(":") else {
            return .address("the database has no name; write \(ServerAddress.form)")
        }
        return .address(
            "'\(host)' is the host, and the database has no name; write postgresql:///\(host) for"
                + " a database of the local server, or postgresql://\(host)/database")
    }

    /// The password as it is written.
    var password: Substring? {
        let user = userInformation
        guard let colon = user.firstIndex(of: ":") else { return nil }
        return user[colon...].dropFirst()
    }

    private var userInformation: Substring {
        authority.lastIndex(of: "@").map { authority[..<$0] } ?? ""
    }

    /// The authority without the password.
    var shownAuthority: String {
        guard password != nil else { return String(authority) }
        let user = userInformation.prefix { $0 != ":" }
        return String(user) + authority[userInformation.endIndex...]
    }
}
