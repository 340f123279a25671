/// A read in the log: a fetch, a count, a fault, a prefetch or a page of objects.
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
    /// The number of the statement's shape, which is its text without values. Nil if the log does
    /// not contain the statement.
    var shape: Int?
    /// The name of the entity, or of the table if the entity is unknown.
    var entity: String
    /// Whether the log contains the entity's name. If not, it is derived from the table.
    var isNamed = false
    var table: String?
    /// The object whose fault was fired.
    var object: LoggedObject?
    var rows: Int?
    var nanoseconds: UInt64
    var seconds: Double?
    /// Whether the statement looks up a single value, as code in a loop does.
    var isLookUp = false
    /// A hash of the statement and its values, for finding equal reads. Nil if the values are
    /// unknown.
    var identity: UInt64?

    /// Nil for a write, and for a statement that accesses the store's metadata or history.
    init?(_ statement: LogStatement, _ shape: StatementShape, _ names: EntityNames) {
        guard shape.kind == "select", !shape.isHousekeeping, !shape.isHistory else { return nil }
        var role = statement.role
        if role == .unknown || role == .fetch, shape.isByKey, let table = shape.table {
            // A statement that reads one row by its primary key fires a fault, even if its
            // annotation is missing.
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

    /// Whether the statement compares columns with `=`, or reads one row. A page of a list is not a
    /// look-up.
    private static func isLookUp(_ statement: LogStatement, _ shape: StatementShape) -> Bool {
        if shape.hasOffset || !shape.hasWhere { return false }
        if shape.isOfList { return statement.listCount == 1 }
        if shape.readsArray { return false }
        if shape.isByValue || shape.isCount { return true }
        return shape.hasLimit && (statement.limit ?? statement.rows ?? 1) <= 1
    }

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

/// The lines on which a finding first occurs in a log.
struct FirstLines: Sendable {
    private(set) var lines: [Int] = []

    private static let countMax = 8

    /// Adds a line number if it is among the lowest. Lines may come in any order.
    mutating func add(_ line: Int) {
        if lines.count == Self.countMax, line >= lines[lines.count - 1] { return }
        let place = lines.firstIndex { $0 > line } ?? lines.count
        lines.insert(line, at: place)
        if lines.count > Self.countMax { lines.removeLast() }
    }

    mutating func add(_ other: FirstLines) { other.lines.forEach { add($0) } }
}
