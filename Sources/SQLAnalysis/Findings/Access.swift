/// Something that a thread read.
///
/// The finders of chains walk it.
struct Access: Sendable {
    enum Kind: Sendable, Equatable {
        case fetch
        case fault
        case toManyFault(relationship: String)
        case prefetch(keyPath: String)
    }

    var kind: Kind
    var line: Int
    var thread: String?
    /// The statement, where the log shows it.
    var statement: Int?
    /// The index of the statement's shape.
    var shape: Int?
    /// The entity, or the table where no entity is known.
    var entity: String
    var table: String?
    /// The object of a fault.
    var object: LoggedObject?
    var rows: Int?
    var nanoseconds: UInt64

    /// What a log's statements read, by line; writes are left out.
    static func all(_ content: LogContent, names: EntityNames) -> [Access] {
        var accesses = content.statements.indices.compactMap { access($0, content, names) }
        accesses += content.orphans.map { orphan in
            make(orphan.role, line: orphan.line, thread: orphan.thread, rows: orphan.rows, names)
        }
        return accesses.sorted { $0.line < $1.line }
    }

    private static func access(
        _ index: Int, _ content: LogContent, _ names: EntityNames
    ) -> Access? {
        let statement = content.statements[index]
        let shape = content.shapes[statement.shape]
        guard shape.kind == "select" else { return nil }
        var role = statement.role
        if role == .unknown || role == .fetch, shape.isByKey, let table = shape.table,
            let entity = names.entity(ofTable: table)
        {
            // A log may lack the line that says that it was a fault.
            let key = statement.bindings.first.map { "p" + $0 } ?? "?\(index)"
            role = .fault(LoggedObject(entity: entity, key: key, store: ""))
        }
        if role == .count || role == .unknown && (shape.readsArray || shape.isCount) { return nil }
        var made = make(
            role, line: statement.line, thread: statement.thread, rows: statement.rows, names)
        made.statement = index
        made.shape = statement.shape
        made.table = shape.table ?? made.table
        made.nanoseconds = statement.time ?? 0
        if made.entity.isEmpty {
            made.entity = statement.entity ?? names.shown(table: shape.table)
        }
        return made
    }

    private static func make(
        _ role: LogStatement.Role, line: Int, thread: String?, rows: Int?, _ names: EntityNames
    ) -> Access {
        var made = Access(
            kind: .fetch, line: line, thread: thread, entity: "", rows: rows, nanoseconds: 0)
        switch role {
        case .unknown, .fetch, .count: break
        case .fault(let object):
            made.kind = .fault
            made.object = object
            made.entity = object.entity
            made.table = names.table(of: object.entity)
        case .toManyFault(let object, let relationship):
            made.kind = .toManyFault(relationship: relationship)
            made.object = object
            made.entity = object.entity
            made.table = names.table(of: object.entity)
        case .prefetch(let path): made.kind = .prefetch(keyPath: path)
        }
        return made
    }
}
