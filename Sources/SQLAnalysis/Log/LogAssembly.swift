/// Combines log entries into statements with their annotations. A statement is passed on when no
/// further entry can belong to it.
struct LogAssembly {
    private(set) var catalog = ShapeCatalog()
    private(set) var facts = LogFacts()
    private var stacks: [LogScope: StatementStack] = [:]
    private var order = LogOrder()
    private var entryNumber = 0
    /// The shapes of the statements so far, and the statements of which the log has only the query
    /// plan.
    private var seen: Set<Int> = []
    private var explained: [Int: LogStatement] = [:]

    /// The maximum number of threads whose statements are kept.
    private static let stacksMax = 64
    /// After this number of entries, a statement counts as complete.
    private static let reachMax = 20_000

    /// Adds an entry, and passes on the completed records in the order of the log.
    mutating func take(_ entry: LogEntry, _ give: (LogRecord) -> Void) {
        entryNumber += 1
        facts.note(entry.prefix)
        let scope = entry.prefix.scope
        switch entry.category {
        case .sql: takeStatement(entry)
        case .annotation:
            if let annotation = Annotation(entry.text) { take(annotation, entry) }
        case .details: takeDetails(entry)
        case .other: return
        }
        stacks[scope]?.lastUse = entryNumber
        while let oldest = stacks[scope]?.popOldest() { order.add(.statement(oldest)) }
        if stacks.count > Self.stacksMax { releaseLeastUsed() }
        if order.isFull { giveInOrder(give) }
    }

    mutating func finish(_ give: (LogRecord) -> Void) {
        for scope in Array(stacks.keys) { release(scope) }
        for (shape, statement) in explained where !seen.contains(shape) {
            order.add(.statement(statement))
        }
        order.give(before: .max, give)
    }

    // MARK: Emitting

    /// Passes on old records of all threads. Otherwise a thread without further entries would delay
    /// the others.
    private mutating func giveInOrder(_ give: (LogRecord) -> Void) {
        for scope in Array(stacks.keys) {
            while let old = stacks[scope]?.popOldest(before: entryNumber - Self.reachMax) {
                order.add(.statement(old))
            }
        }
        order.give(before: stacks.values.compactMap(\.statements.first?.order).min() ?? .max, give)
    }

    private mutating func release(_ scope: LogScope) {
        for statement in stacks.removeValue(forKey: scope)?.statements ?? [] {
            order.add(.statement(statement))
        }
    }

    private mutating func releaseLeastUsed() {
        guard let scope = stacks.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
        else { return }
        release(scope)
    }

    // MARK: Statements

    private mutating func takeStatement(_ entry: LogEntry) {
        push(entry.text, isTruncated: entry.isTruncated, entry)
    }

    private mutating func push(_ sql: [UInt8], isTruncated: Bool, _ entry: LogEntry) {
        let statement = statement(sql, isTruncated: isTruncated, entry)
        let empty = StatementStack(isOfOneThread: statement.scope.thread != nil)
        stacks[statement.scope, default: empty].push(statement)
        seen.insert(statement.shape)
    }

    private mutating func statement(
        _ sql: [UInt8], isTruncated: Bool, _ entry: LogEntry
    ) -> LogStatement {
        let known = catalog.enter(sql, isTruncated: isTruncated)
        return LogStatement(
            order: entryNumber, line: entry.line, scope: entry.prefix.scope,
            seconds: entry.prefix.seconds, shape: known.shape,
            isTruncated: isTruncated || known.isIncomplete,
            parameterCount: known.parameterCount, listCount: known.listCount, limit: known.limit,
            textHash: known.textHash)
    }

    private mutating func takeDetails(_ entry: LogEntry) {
        let explain = Array("SQLite: EXPLAIN QUERY PLAN ".utf8)
        if let (index, value) = Annotation.binding(entry.text) {
            facts.hasValues = true
            stacks[entry.prefix.scope]?.take(value: value, at: index)
        } else if entry.text.starts(with: explain), !entry.plan.isEmpty {
            let sql = Array(entry.text.dropFirst(explain.count))
            let statement = statement(sql, isTruncated: entry.isTruncated, entry)
            catalog.plans[statement.shape] = entry.plan
            if explained[statement.shape] == nil { explained[statement.shape] = statement }
        }
    }

    // MARK: Annotations

    private mutating func take(_ annotation: Annotation, _ entry: LogEntry) {
        let scope = entry.prefix.scope
        switch annotation {
        case .fetchTime(let time): stacks[scope]?.take(fetchTime: time, catalog)
        case .executionTime(let time): stacks[scope]?.take(executionTime: time, catalog)
        case .fetchTotal(let time, let rows):
            let isTaken = stacks[scope]?.take(fetchTotal: time, rows: rows, catalog) ?? false
            if !isTaken { facts.addLooseTotal() }
        case .countTotal(let time, _):
            let isTaken = stacks[scope]?.take(countTotal: time, catalog) ?? false
            if !isTaken { facts.addLooseTotal() }
        case .fetched(let entity, let sql, let rows): takeFetched(entity, sql, rows, entry)
        case .fault(let object): takeFault(object, entry)
        case .cachedFault: facts.cachedFaults += 1
        case .toManyFault(let object, let relationship, let rows):
            takeToManyFault(object, relationship, rows, entry)
        case .prefetch(let path, let rows):
            stacks[scope]?.take(prefetch: path, rows: rows, catalog)
        }
    }

    /// Processes an annotation that quotes the statement. A log may contain only such annotations.
    private mutating func takeFetched(
        _ entity: String, _ sql: [UInt8], _ rows: Int, _ entry: LogEntry
    ) {
        let scope = entry.prefix.scope
        let shape = catalog.enter(sql).shape
        var found = stacks[scope]?.latest {
            $0.shape == shape && $0.reportedRows == nil && $0.rows ?? rows == rows
        }
        if found == nil {
            found = stacks[scope]?.latest {
                $0.isTruncated && $0.reportedRows == nil && isBeginning(of: shape, $0.shape)
            }
        }
        if found == nil {
            push(sql, isTruncated: false, entry)
            found = stacks[scope]?.statements.indices.last
        }
        guard let found, var statement = stacks[scope]?[found] else { return }
        statement.reportedRows = rows
        statement.rows = rows
        statement.entity = entity
        if statement.role == .unknown { statement.role = .fetch }
        stacks[scope]?[found] = statement
    }

    private func isBeginning(of whole: Int, _ part: Int) -> Bool {
        catalog[part].kind == "select" && catalog[whole].text.hasPrefix(catalog[part].text)
    }

    // MARK: Faults

    private mutating func takeFault(_ object: LoggedObject, _ entry: LogEntry) {
        let scope = entry.prefix.scope
        let table = "Z" + object.entity.uppercased()
        func fits(_ statement: LogStatement) -> Bool {
            catalog[statement.shape].isByKey && Self.isFree(statement)
                && Self.hasKey(statement, object)
        }
        let found =
            stacks[scope]?.latest { fits($0) && catalog[$0.shape].table == table }
            ?? stacks[scope]?.latest { fits($0) }
            ?? stacks[scope]?.latest {
                $0.isTruncated && catalog[$0.shape].kind == "select" && Self.isFree($0)
            }
        guard let found, var statement = stacks[scope]?[found] else {
            return addOrphan(.fault(object), rows: 1, entry)
        }
        statement.role = .fault(object)
        statement.rows = statement.rows ?? 1
        statement.entity = object.entity
        statement.isClosed = true
        stacks[scope]?[found] = statement
    }

    private mutating func takeToManyFault(
        _ object: LoggedObject, _ relationship: String, _ rows: Int, _ entry: LogEntry
    ) {
        let scope = entry.prefix.scope
        let role = LogStatement.Role.toManyFault(object, relationship: relationship)
        let found = stacks[scope]?.latest { statement in
            let shape = catalog[statement.shape]
            return shape.kind == "select" && !shape.isByKey && !shape.isCount && !shape.readsArray
                && !shape.isHousekeeping && Self.isFree(statement)
                && statement.rows ?? rows == rows && (shape.isByValue || statement.isTruncated)
                && Self.hasKey(statement, object)
        }
        guard let found else { return addOrphan(role, rows: rows, entry) }
        stacks[scope]?[found].role = role
        stacks[scope]?[found].rows = rows
        stacks[scope]?[found].isClosed = true
    }

    /// Whether the first value is the object's key, if the log contains values.
    private static func hasKey(_ statement: LogStatement, _ object: LoggedObject) -> Bool {
        guard let value = statement.firstValue else { return true }
        let key = Array(object.key.utf8.dropFirst())
        return value == key || value.suffix(key.count + 1).elementsEqual([0x29] + key)
    }

    /// Whether the statement is a fetch, or may be one.
    private static func isFree(_ statement: LogStatement) -> Bool {
        statement.role == .unknown || statement.role == .fetch
    }

    private mutating func addOrphan(_ role: LogStatement.Role, rows: Int, _ entry: LogEntry) {
        let scope = entry.prefix.scope
        let orphan = OrphanFault(
            order: entryNumber, line: entry.line, scope: scope, role: role, rows: rows)
        order.add(.orphan(orphan))
    }
}
