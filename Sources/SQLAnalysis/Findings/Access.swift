/// A read in the log: a fetch, a count, a fault, a prefetch or a page of objects. Each
/// ``ChainWalk`` processes the reads of one thread.
struct Access: Sendable {
    enum Kind: Sendable, Equatable {
        case fetch
        /// A page of objects whose keys came from an earlier fetch.
        case batch
        case fault
        case toManyFault(relationship: String)
        case prefetch(keyPath: String)
        case count
    }

    var kind: Kind
    var line: Int
    /// The number of the statement's shape in the catalog; nil if the log does not contain the
    /// statement.
    var shape: Int?
    /// The name of the entity, or of the table if the entity is unknown.
    var entity: String
    /// Whether the log contains the entity's name. Otherwise the name is derived from the table.
    var isNamed = false
    var table: String?
    /// The object whose fault was fired.
    var object: LoggedObject?
    var rows: Int?
    var nanoseconds: UInt64
    /// The time stamp in the log.
    var seconds: Double?
    /// Whether the statement looks up a single value, as is typical in a loop.
    var isLookUp = false
    /// A hash of the statement and its values, to recognise equal reads; nil if the values are
    /// unknown.
    var identity: UInt64?

    /// Creates a read from a statement; nil if the statement is a write or concerns the store's
    /// metadata.
    init?(_ statement: LogStatement, _ shape: StatementShape, _ names: EntityNames) {
        guard shape.kind == "select", !shape.isHousekeeping, !shape.isHistory else { return nil }
        var role = statement.role
        if role == .unknown || role == .fetch, shape.isByKey, let table = shape.table {
            // A statement that reads one row by its primary key fires a fault, even if the log
            // lacks the annotation.
            let key = statement.firstValue.map { "p" + Self.number($0) } ?? "?"
            role = .fault(LoggedObject(entity: names.shown(table: table), key: key, store: ""))
        }
        self.init(role, line: statement.line, rows: statement.rows, names)
        self.shape = statement.shape
        table = shape.table ?? table
        nanoseconds = statement.time ?? 0
        seconds = statement.seconds
        identity = statement.identity
        isLookUp = Self.isLookUp(statement, shape)
        if kind == .fetch, shape.isCount { kind = .count }
        if kind == .fetch, shape.readsArray { kind = .batch }
        if entity.isEmpty {
            isNamed = statement.entity != nil
            entity = statement.entity ?? names.shown(table: shape.table)
        }
    }

    /// Whether the statement compares columns with `=`, reads only the first row, or reads one row
    /// by its primary key. Statements that read a page of a list are not look-ups.
    private static func isLookUp(_ statement: LogStatement, _ shape: StatementShape) -> Bool {
        if shape.hasOffset || !shape.hasWhere { return false }
        if shape.isOfList { return statement.listCount == 1 }
        if shape.readsArray { return false }
        if shape.isByValue || shape.isCount { return true }
        return shape.hasLimit && (statement.limit ?? statement.rows ?? 1) <= 1
    }

    /// Creates a read from a fault whose statement is not in the log.
    init(_ orphan: OrphanFault, _ names: EntityNames) {
        self.init(orphan.role, line: orphan.line, rows: orphan.rows, names)
    }

    private init(_ role: LogStatement.Role, line: Int, rows: Int?, _ names: EntityNames) {
        kind = .fetch
        self.line = line
        entity = ""
        self.rows = rows
        nanoseconds = 0
        switch role {
        case .unknown, .fetch: break
        case .count: kind = .count
        case .fault(let object): take(object, .fault, names)
        case .toManyFault(let object, let relationship):
            take(object, .toManyFault(relationship: relationship), names)
        case .prefetch(let path): kind = .prefetch(keyPath: path)
        }
    }

    private mutating func take(_ object: LoggedObject, _ kind: Kind, _ names: EntityNames) {
        self.kind = kind
        self.object = object
        entity = object.entity
        table = names.table(of: object.entity)
    }

    /// Removes the type from a value such as `(int64)7`.
    private static func number(_ value: [UInt8]) -> String {
        ByteText.string(value.split(separator: UInt8(ascii: ")")).last ?? value[...])
    }
}

/// The first lines on which a finding occurs in a log.
struct FirstLines: Sendable {
    private(set) var lines: [Int] = []

    private static let countMax = 8

    /// Adds a line number, if it is among the smallest. Lines can be added in any order.
    mutating func add(_ line: Int) {
        if lines.count == Self.countMax, line >= lines[lines.count - 1] { return }
        let place = lines.firstIndex { $0 > line } ?? lines.count
        lines.insert(line, at: place)
        if lines.count > Self.countMax { lines.removeLast() }
    }

    mutating func add(_ other: FirstLines) { other.lines.forEach { add($0) } }
}
