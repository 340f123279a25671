import CoreDataSQLite
import Foundation

/// Reads stored values without Core Data: with SQLite, or from the files of external values.
struct KindsReader {
    private let url: URL
    private let connection: Connection
    private let columns: Set<String>

    init(_ url: URL) throws {
        self.url = url
        connection = try Connection(.file(url.path))
        let names = try connection.firstText(
            "SELECT group_concat(name, ' ') FROM pragma_table_info('ZTHING')")
        columns = Set((names ?? "").split(separator: " ").map(String.init))
    }

    /// The difference between the stored and the expected value. Nil if they are equal.
    func problem(_ key: String, _ member: KindsModel.Member, _ value: Any?) throws -> String? {
        let column = "Z\(member.name.uppercased())"
        if !member.kind.isStored, member.kind != .derived {
            return columns.contains(column) ? "\(column) is there" : nil
        }
        guard member.kind == .composite else {
            return try problem(key, column, member.kind, value)
        }
        let elements = value as? [String: Any] ?? [:]
        for (name, kind) in [("e0", KindsModel.Kind.integer32), ("e1", .string)] {
            let column = "\(column)_\(name.uppercased())"
            if let found = try problem(key, column, kind, elements[name]) { return found }
        }
        return nil
    }

    private func text(_ sql: String, _ key: String) throws -> String? {
        try connection.firstText("SELECT \(sql) FROM ZTHING WHERE Z_PK = \(key)")
    }

    private func problem(
        _ key: String, _ column: String, _ kind: KindsModel.Kind, _ value: Any?
    ) throws -> String? {
        guard let value else {
            let type = try text("typeof(\(column))", key)
            return type == "null" ? nil : "\(column) is of type \(type ?? "")"
        }
        if let blob = Self.blob(value, kind) { return try problem(key, column, blob) }
        if kind == .external { return try externalProblem(key, column, value) }
        if kind == .transformable { return try archiveProblem(key, column, value) }
        let (expected, type) = Self.literal(value, kind)
        let isSame = try text("\(column) IS \(expected) AND typeof(\(column)) IN (\(type))", key)
        return isSame == "1" ? nil : "\(column) is not \(expected)"
    }

    /// The value as SQL, and the storage classes that its column may have.
    private static func literal(_ value: Any, _ kind: KindsModel.Kind) -> (String, String) {
        switch value {
        case let flag as Bool where kind == .boolean: return (flag ? "1" : "0", "'integer'")
        case let number as any FixedWidthInteger where kind.isWhole:
            return ("\(number)", "'integer'")
        case let number as any FixedWidthInteger:
            return (exact(Double(number)), "'real', 'integer'")
        case let date as Date:
            return (exact(date.timeIntervalSinceReferenceDate), "'real', 'integer'")
        case let number as Float: return (exact(Double(number)), "'real', 'integer'")
        case let number as Double: return (exact(number), "'real', 'integer'")
        case let number as NSDecimalNumber: return ("\(number)", "'real', 'integer', 'text'")
        case let url as URL: return (quoted(url.absoluteString), "'text'")
        default: return (quoted("\(value)"), "'text'")
        }
    }

    private static func exact(_ number: Double) -> String { String(format: "%.17g", number) }

    private static func quoted(_ text: String) -> String {
        "CAST(x'\(Data(text.utf8).hex)' AS TEXT)"
    }

    private static func blob(_ value: Any, _ kind: KindsModel.Kind) -> Data? {
        switch value {
        case let data as Data where kind == .binary: data
        case let uuid as UUID: withUnsafeBytes(of: uuid.uuid) { Data($0) }
        default: nil
        }
    }

    private func problem(_ key: String, _ column: String, _ bytes: Data) throws -> String? {
        let found = try text("typeof(\(column)) || ' ' || hex(\(column))", key)
        return found == "blob \(bytes.hex)" ? nil : "\(column) is \(found ?? "")"
    }

    /// The column of an external value contains a marker byte. The value or the name of its file
    /// follows.
    private func externalProblem(_ key: String, _ column: String, _ value: Any) throws -> String? {
        let found = try text("hex(\(column))", key) ?? ""
        guard let wanted = value as? Data else { return "\(value) is no data" }
        if found.hasPrefix("01") {
            return found.dropFirst(2) == wanted.hex ? nil : "\(column) has other bytes"
        }
        let name = try text("CAST(substr(\(column), 2, 36) AS TEXT)", key) ?? ""
        let folder = url.deletingLastPathComponent().appendingPathComponent(
            ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
        let data = try? Data(contentsOf: folder.appendingPathComponent(name))
        return found.hasPrefix("02") && data == wanted ? nil : "the file \(name) has other bytes"
    }

    private func archiveProblem(_ key: String, _ column: String, _ value: Any) throws -> String? {
        let data = Data(hex: try text("hex(\(column))", key) ?? "")
        let found = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSArray.self, NSDictionary.self, NSNumber.self, NSString.self], from: data)
        return (found as? NSObject)?.isEqual(value) == true ? nil : "\(column) is another archive"
    }
}

extension Data {
    fileprivate var hex: String {
        let digits = Array("0123456789ABCDEF")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    fileprivate init(hex: String) {
        var bytes: [UInt8] = []
        var rest = hex[...]
        while rest.count > 1, let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self.init(bytes)
    }
}
