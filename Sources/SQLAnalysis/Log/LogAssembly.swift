/// Puts a log's entries together to statements.
///
/// Reading a log is done with this.
struct LogAssembly {
    private(set) var content = LogContent()
    private var shapeNumbers: [String: Int] = [:]
    private var textNumbers: [String: Int] = [:]
    /// The last statements of each thread; of all where the console tells no threads.
    private var recent: [String?: [Int]] = [:]

    /// How many statements back an annotation may reach.
    private static let reach = 8
    /// How many values of a statement are kept.
    private static let bindingsMax = 16

    init(_ bytes: [UInt8]) {
        let reader = LogEntryReader(bytes)
        content.lineCount = reader.lineCount
        content.otherLineCount = reader.otherLineCount
        content.entryCount = reader.entries.count
        for entry in reader.entries { take(entry) }
    }

    private mutating func take(_ entry: LogEntry) {
        if let thread = entry.prefix.thread { content.threads.insert(thread) }
        if let seconds = entry.prefix.seconds {
            content.firstSecond = min(content.firstSecond ?? seconds, seconds)
            content.lastSecond = max(content.lastSecond ?? seconds, seconds)
        }
        switch entry.category {
        case .sql: takeStatement(entry)
        case .annotation:
            if let annotation = Annotation(entry.text) { take(annotation, entry) }
        case .details: takeDetails(entry)
        case .other: break
        }
    }

    // MARK: Statements

    private mutating func takeStatement(_ entry: LogEntry) {
        let isTruncated = entry.isTruncated || SQLText.isIncomplete(entry.text)
        let number = shapeNumber(of: isTruncated ? Self.wholeWords(entry.text) : entry.text)
        content.statements.append(
            LogStatement(
                line: entry.line, thread: entry.prefix.thread, shape: number,
                isTruncated: isTruncated))
        var list = recent[entry.prefix.thread] ?? []
        list.append(content.statements.count - 1)
        if list.count > Self.reach { list.removeFirst() }
        recent[entry.prefix.thread] = list
    }

    /// Without the word that was cut off: half a table's name is the name of another table.
    private static func wholeWords(_ text: String) -> String {
        var text = text[...]
        while let last = text.last, SQLText.isWord(last) { text.removeLast() }
        return String(text)
    }

    private mutating func shapeNumber(of sql: String) -> Int {
        if let known = textNumbers[sql] { return known }
        let shape = StatementShape(sql)
        let number = shapeNumbers[shape.text] ?? content.shapes.count
        if number == content.shapes.count {
            content.shapes.append(shape)
            content.samples.append(sql)
            shapeNumbers[shape.text] = number
        }
        textNumbers[sql] = number
        return number
    }

    private mutating func takeDetails(_ entry: LogEntry) {
        if let (index, value) = Annotation.binding(entry.text) {
            let found = candidate(entry) { statement, _ in
                statement.bindingCount == index && statement.time == nil
            }
            guard let found else { return }
            content.statements[found].bindingCount += 1
            if content.statements[found].bindings.count < Self.bindingsMax {
                content.statements[found].bindings.append(value)
            }
        } else if entry.text.hasPrefix("SQLite: EXPLAIN QUERY PLAN "), !entry.plan.isEmpty {
            let sql = String(entry.text.dropFirst("SQLite: EXPLAIN QUERY PLAN ".count))
            content.plans[shapeNumber(of: sql)] = entry.plan
        }
    }

    // MARK: Annotations

    private mutating func take(_ annotation: Annotation, _ entry: LogEntry) {
        switch annotation {
        case .fetchTime(let time):
            let found = candidate(entry) { $0.nanoseconds == nil && $1.kind == "select" }
            if let found { content.statements[found].nanoseconds = time }
        case .executionTime(let time):
            let found = candidate(entry) { $0.nanoseconds == nil && $1.isWrite }
            if let found { content.statements[found].nanoseconds = time }
        case .fetchTotal(let time, let rows): takeTotal(time, rows, entry)
        case .countTotal(let time, let count):
            let found = candidate(entry) { $0.totalNanoseconds == nil && $1.isCount }
            guard let found else { return }
            content.statements[found].totalNanoseconds = time
            content.statements[found].rows = count > 0 ? 1 : 0
            content.statements[found].role = .count
        case .fetched(let entity, let sql, let rows):
            let shape = StatementShape(sql).text
            let found = candidate(entry) { $0.entity == nil && $1.text == shape }
            guard let found else { return }
            content.statements[found].entity = entity
            content.statements[found].rows = rows
        case .fault(let object): takeFault(object, entry)
        case .toManyFault(let object, let relationship, let rows):
            takeToManyFault(object, relationship, rows, entry)
        case .prefetch(let path, let rows): takePrefetch(path, rows, entry)
        }
    }

    /// The total follows the fetch's own time; what has one already keeps it.
    private mutating func takeTotal(_ time: UInt64, _ rows: Int, _ entry: LogEntry) {
        func waits(_ statement: LogStatement, _ shape: StatementShape) -> Bool {
            statement.totalNanoseconds == nil && statement.role == .unknown
                && shape.kind == "select" && !shape.isCount && statement.rows ?? rows == rows
        }
        // Core Data writes totals for batches too, this engine does not: those come last.
        let found =
            candidate(entry, { !$1.readsArray && waits($0, $1) }) ?? candidate(entry, waits)
        guard let found else { return }
        content.statements[found].totalNanoseconds = time
        content.statements[found].rows = rows
        content.statements[found].role = .fetch
    }

    private mutating func takeFault(_ object: LoggedObject, _ entry: LogEntry) {
        let key = String(object.key.dropFirst())
        let found =
            latest(entry) { statement, shape in
                shape.isByKey && Self.isFree(statement)
                    && (statement.bindings.first.map { $0 == key || $0.hasSuffix(")" + key) }
                        ?? true)
            } ?? latest(entry) { $0.isTruncated && $1.kind == "select" && Self.isFree($0) }
        guard let found else {
            return addOrphan(.fault(object), rows: 1, entry)
        }
        content.statements[found].role = .fault(object)
        content.statements[found].rows = content.statements[found].rows ?? 1
        content.statements[found].entity = object.entity
    }

    private mutating func takeToManyFault(
        _ object: LoggedObject, _ relationship: String, _ rows: Int, _ entry: LogEntry
    ) {
        let role = LogStatement.Role.toManyFault(object, relationship: relationship)
        let key = String(object.key.dropFirst())
        let found = latest(entry) { statement, shape in
            shape.kind == "select" && !shape.isByKey && !shape.isCount && !shape.readsArray
                && Self.isFree(statement) && statement.rows ?? rows == rows
                && (shape.isByValue || statement.isTruncated)
                && (statement.bindings.first.map { $0 == key || $0.hasSuffix(")" + key) } ?? true)
        }
        guard let found else { return addOrphan(role, rows: rows, entry) }
        content.statements[found].role = role
        content.statements[found].rows = rows
    }

    private mutating func takePrefetch(_ path: String, _ rows: Int, _ entry: LogEntry) {
        let found = latest(entry) {
            $1.kind == "select" && Self.isFree($0) && ($1.readsArray || $1.text.contains(" IN ("))
        }
        guard let found else { return }
        content.statements[found].role = .prefetch(keyPath: path)
        content.statements[found].rows = rows
    }

    private mutating func addOrphan(_ role: LogStatement.Role, rows: Int, _ entry: LogEntry) {
        content.orphans.append(
            OrphanFault(line: entry.line, thread: entry.prefix.thread, role: role, rows: rows))
    }

    // MARK: Finding the statement

    /// Whether nobody has said yet what the statement was for, beyond that it was a fetch.
    private static func isFree(_ statement: LogStatement) -> Bool {
        statement.role == .unknown || statement.role == .fetch
    }

    /// The statement that the next entry of a block belongs to: the thread's last one, or, where
    /// threads are not told apart, the oldest that still waits for it.
    private func candidate(
        _ entry: LogEntry, _ fits: (LogStatement, StatementShape) -> Bool
    ) -> Int? {
        let list = recent[entry.prefix.thread] ?? []
        if entry.prefix.thread != nil {
            guard let last = list.last, check(last, fits) else { return nil }
            return last
        }
        return list.first { check($0, fits) }
    }

    private func latest(
        _ entry: LogEntry, _ fits: (LogStatement, StatementShape) -> Bool
    ) -> Int? {
        recent[entry.prefix.thread]?.last { check($0, fits) }
    }

    private func check(_ index: Int, _ fits: (LogStatement, StatementShape) -> Bool) -> Bool {
        let statement = content.statements[index]
        return fits(statement, content.shapes[statement.shape])
    }
}
