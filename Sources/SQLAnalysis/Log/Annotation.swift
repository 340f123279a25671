/// An annotation that says something about a statement.
///
/// The log's assembly asks about each entry.
enum Annotation: Sendable, Equatable {
    case fetchTime(UInt64)
    case executionTime(UInt64)
    case fetchTotal(UInt64, rows: Int)
    case countTotal(UInt64, count: Int)
    case fault(LoggedObject)
    case toManyFault(LoggedObject, relationship: String, rows: Int)
    case prefetch(keyPath: String, rows: Int)
    case fetched(entity: String, sql: String, rows: Int)

    /// Nil for what is cut off, and for what says nothing about a statement.
    init?(_ text: String) {
        var text = Scanner(text)
        if text.take("sql connection fetch time: ") {
            guard let time = text.seconds() else { return nil }
            self = .fetchTime(time)
        } else if text.take("sql execution time: ") {
            guard let time = text.seconds() else { return nil }
            self = .executionTime(time)
        } else if text.take("total fetch execution time: ") {
            guard let time = text.seconds(), text.skip(to: "for "), let rows = text.integer()
            else { return nil }
            self = .fetchTotal(time, rows: rows)
        } else if text.take("total count request execution time: ") {
            guard let time = text.seconds(), text.skip(to: "for count of "),
                let count = text.integer()
            else { return nil }
            self = .countTotal(time, count: count)
        } else if text.take("fault fulfilled from database for") {
            guard let object = text.object() else { return nil }
            self = .fault(object)
        } else if text.take("to-many relationship fault \"") {
            guard let name = text.text(before: "\""), let object = text.object(),
                text.skip(to: "fulfilled from database"), text.skip(to: "Got "),
                let rows = text.integer()
            else { return nil }
            self = .toManyFault(object, relationship: name, rows: rows)
        } else if text.take("Prefetching with key '") {
            guard let path = text.text(before: "'"), text.skip(to: "Got "),
                let rows = text.integer()
            else { return nil }
            self = .prefetch(keyPath: path, rows: rows)
        } else if text.take("fetch using NSSQLiteStatement ") {
            guard text.skip(to: "on entity '"), let entity = text.text(before: "'"),
                text.skip(to: "with sql text '"), let sql = text.text(before: "' returned "),
                let rows = text.integer()
            else { return nil }
            self = .fetched(entity: entity, sql: sql, rows: rows)
        } else {
            return nil
        }
    }

    /// The index and value of `SQLite bind[0] = 18`.
    static func binding(_ text: String) -> (index: Int, value: String)? {
        var text = Scanner(text)
        guard text.take("SQLite bind["), let index = text.integer(), text.skip(to: "] = ")
        else { return nil }
        return (index, text.rest)
    }
}

/// An object as its URI names it.
struct LoggedObject: Sendable, Hashable {
    var entity: String
    /// `p4`, or a temporary object's UUID.
    var key: String
    var store: String
}

/// Reads a line from left to right; every question moves on only where it is answered.
private struct Scanner {
    private var left: Substring

    init(_ text: String) { left = text[...] }

    var rest: String { String(left) }

    mutating func take(_ text: String) -> Bool {
        guard left.hasPrefix(text) else { return false }
        left = left.dropFirst(text.count)
        return true
    }

    mutating func skip(to text: String) -> Bool {
        guard let range = range(of: text) else { return false }
        left = left[range.upperBound...]
        return true
    }

    mutating func text(before end: String) -> String? {
        guard let range = range(of: end) else { return nil }
        let found = String(left[..<range.lowerBound])
        left = left[range.upperBound...]
        return found
    }

    /// A number of at most twelve digits, which every sum of a log can carry.
    mutating func integer() -> Int? {
        let digits = left.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, digits.utf8.count <= 12 else { return nil }
        left = left.dropFirst(digits.count)
        return Int(digits)
    }

    /// `0.4789s` as nanoseconds; a day is the most that a statement takes.
    mutating func seconds() -> UInt64? {
        let digits = left.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let value = Double(digits), value >= 0, value < 86_400 else { return nil }
        left = left.dropFirst(digits.count)
        guard left.first == "s" else { return nil }
        return UInt64((value * 1_000_000_000).rounded())
    }

    /// `<x-coredata://STORE/Entity/p4>`, wherever it stands.
    mutating func object() -> LoggedObject? {
        guard skip(to: "<x-coredata://"), let uri = text(before: ">") else { return nil }
        let parts = uri.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, !parts[2].isEmpty else { return nil }
        return LoggedObject(
            entity: String(parts[1]), key: String(parts[2]), store: String(parts[0]))
    }

    private func range(of text: String) -> Range<Substring.Index>? {
        var start = left.startIndex
        let wanted = text.utf8
        let bytes = left.utf8
        while start < bytes.endIndex {
            if bytes[start...].starts(with: wanted) {
                return start..<bytes.index(start, offsetBy: wanted.count)
            }
            bytes.formIndex(after: &start)
        }
        return nil
    }
}
