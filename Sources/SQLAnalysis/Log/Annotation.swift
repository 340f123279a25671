/// A log line about a statement, such as its execution time or its number of rows.
enum Annotation: Sendable, Equatable {
    case fetchTime(UInt64)
    case executionTime(UInt64)
    case fetchTotal(UInt64, rows: Int)
    case countTotal(UInt64, count: Int)
    case fault(LoggedObject)
    /// A fault that was fulfilled without executing a statement.
    case cachedFault
    case toManyFault(LoggedObject, relationship: String, rows: Int)
    case prefetch(keyPath: String, rows: Int)
    case fetched(entity: String, sql: [UInt8], rows: Int)

    private enum Kind: CaseIterable {
        case fetchTime, executionTime, fetchTotal, countTotal, fault, cached, toMany, toManyCached
        case prefetch, prefetchPath, fetched

        var beginning: StaticString {
            switch self {
            case .fetchTime: "sql connection fetch time: "
            case .executionTime: "sql execution time: "
            case .fetchTotal: "total fetch execution time: "
            case .countTotal: "total count request execution time: "
            case .fault: "fault fulfilled from database for"
            case .cached: "fault fulfilled from "
            case .toMany: "to-many relationship fault "
            case .toManyCached: "to-many relationship fulfilled from cache"
            case .prefetch: "Prefetching with key '"
            case .prefetchPath: "Prefetching with key path '"
            case .fetched: "fetch using NSSQLiteStatement "
            }
        }
    }

    /// Whether the text begins like an annotation, of which the line may contain only a part.
    static func begins(_ text: [UInt8]) -> Bool {
        guard text.count >= 4 else { return false }
        return Kind.allCases.contains { kind in
            let beginning = kind.beginning.withUTF8Buffer { Array($0) }
            let count = min(text.count, beginning.count)
            return text[..<count].elementsEqual(beginning[..<count])
        }
    }

    /// Nil if the annotation is cut off or does not concern a statement.
    init?(_ bytes: [UInt8]) {
        var text = AnnotationScanner(bytes)
        guard let kind = Kind.allCases.first(where: { text.take($0.beginning) }),
            let read = Self.read(kind, &text)
        else { return nil }
        self = read
    }

    private static func read(_ kind: Kind, _ text: inout AnnotationScanner) -> Annotation? {
        switch kind {
        case .fetchTime: text.seconds().map(Self.fetchTime)
        case .executionTime: text.seconds().map(Self.executionTime)
        case .fetchTotal: total(&text)
        case .countTotal: count(&text)
        case .fault: text.object().map(Self.fault)
        case .cached, .toManyCached: .cachedFault
        case .toMany: toMany(&text)
        case .prefetch, .prefetchPath: prefetch(&text)
        case .fetched: fetched(&text)
        }
    }

    private static func total(_ text: inout AnnotationScanner) -> Annotation? {
        guard let time = text.seconds(), text.skip(to: "for "), let rows = text.rows()
        else { return nil }
        return .fetchTotal(time, rows: rows)
    }

    private static func count(_ text: inout AnnotationScanner) -> Annotation? {
        guard let time = text.seconds(), text.skip(to: "for count of "),
            let count = text.integer(), text.take(".")
        else { return nil }
        return .countTotal(time, count: count)
    }

    private static func toMany(_ text: inout AnnotationScanner) -> Annotation? {
        guard text.take("\"") || text.take("'") else { return nil }
        guard let name = text.text(before: "\"") ?? text.text(before: "'"),
            let object = text.object()
        else { return nil }
        if text.skip(to: "from cache") { return .cachedFault }
        guard text.skip(to: "from database"), text.skip(to: "Got "), let rows = text.rows()
        else { return nil }
        return .toManyFault(object, relationship: name, rows: rows)
    }

    private static func prefetch(_ text: inout AnnotationScanner) -> Annotation? {
        guard let path = text.text(before: "'"), text.skip(to: "Got "), let rows = text.rows()
        else { return nil }
        return .prefetch(keyPath: path, rows: rows)
    }

    private static func fetched(_ text: inout AnnotationScanner) -> Annotation? {
        guard text.skip(to: "on entity '"), let entity = text.text(before: "'"),
            text.skip(to: "with sql text '"), let sql = text.bytes(before: "' returned "),
            let rows = text.rows()
        else { return nil }
        return .fetched(entity: entity, sql: sql, rows: rows)
    }

    /// Parses the index and the value of a line such as `SQLite bind[0] = 18`.
    static func binding(_ bytes: [UInt8]) -> (index: Int, value: [UInt8])? {
        var text = AnnotationScanner(bytes)
        guard text.take("SQLite bind["), let index = text.integer(), text.take("] = ")
        else { return nil }
        return (index, text.rest)
    }
}

/// An object identified by a URI in the log.
struct LoggedObject: Sendable, Hashable {
    var entity: String
    /// The last component of the URI: `p4`, or a UUID for an object with a temporary ID.
    var key: String
    var store: String
}

/// Parses an annotation from left to right. Each method consumes text only if it succeeds.
struct AnnotationScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var rest: [UInt8] { Array(bytes[index...]) }

    mutating func take(_ text: StaticString) -> Bool {
        guard ByteText.starts(bytes, at: index, with: text) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    mutating func skip(to text: StaticString) -> Bool {
        guard let place = ByteText.find(text, in: bytes, from: index) else { return false }
        index = place + text.utf8CodeUnitCount
        return true
    }

    mutating func bytes(before end: StaticString) -> [UInt8]? {
        guard let place = ByteText.find(end, in: bytes, from: index) else { return nil }
        defer { index = place + end.utf8CodeUnitCount }
        return Array(bytes[index..<place])
    }

    mutating func text(before end: StaticString) -> String? {
        bytes(before: end).map { ByteText.string($0) }
    }

    /// Reads a number of at most twelve digits, so that sums cannot overflow. Skips thousands
    /// separators.
    mutating func integer() -> Int? {
        var digits: [UInt8] = []
        var end = index
        while end < bytes.count, ByteText.isDigit(bytes[end]) || isSeparator(end) {
            if bytes[end] != UInt8(ascii: ",") { digits.append(bytes[end]) }
            end += 1
        }
        guard (1...12).contains(digits.count) else { return nil }
        index = end
        return Int(ByteText.string(digits))
    }

    private func isSeparator(_ place: Int) -> Bool {
        bytes[place] == UInt8(ascii: ",") && place > index && place + 1 < bytes.count
            && ByteText.isDigit(bytes[place + 1])
    }

    /// Reads `12 rows`. Without the word, the number may be incomplete: its other digits may be on
    /// the next line.
    mutating func rows() -> Int? {
        guard let number = integer() else { return nil }
        while index < bytes.count, ByteText.isSpace(bytes[index]) { index += 1 }
        return take("row") ? number : nil
    }

    /// Reads `0.4789s` as nanoseconds; nil for a day or more.
    mutating func seconds() -> UInt64? {
        let digits = bytes[index...].prefix {
            ByteText.isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",")
        }
        let text = ByteText.string(digits.map { $0 == UInt8(ascii: ",") ? 0x2E : $0 })
        guard let value = Double(text), value >= 0, value < 86_400 else { return nil }
        index = digits.endIndex
        while index < bytes.count, ByteText.isSpace(bytes[index]) { index += 1 }
        guard take("s") else { return nil }
        return UInt64((value * 1_000_000_000).rounded())
    }

    /// Reads the next `<x-coredata://STORE/Entity/p4>`.
    mutating func object() -> LoggedObject? {
        guard skip(to: "x-coredata://"), let uri = bytes(before: ">") else { return nil }
        let parts = uri.filter { !ByteText.isSpace($0) }
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, !parts[2].isEmpty else { return nil }
        return LoggedObject(
            entity: ByteText.string(parts[1]), key: ByteText.string(parts[2]),
            store: ByteText.string(parts[0]))
    }
}
