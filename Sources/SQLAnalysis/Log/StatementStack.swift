/// The latest statements of one thread. If the log does not distinguish threads, those of the whole
/// log. A statement is kept until all of its annotations were read.
///
/// For a fetch, Core Data logs the statement, the values, the time of the statement, and the total
/// of the fetch. The statements of its prefetches come between the time and the total, and an
/// annotation marks each of them. So an annotation belongs to the latest statement that lacks one
/// of its kind. Statements about the store's metadata have no annotations.
struct StatementStack {
    private(set) var statements: [LogStatement] = []
    let isOfOneThread: Bool
    /// The position in the log at which the stack was last used.
    var lastUse = 0

    /// The maximum number of kept statements. The total of a fetch may follow its statement after
    /// this many others.
    static let depthMax = 40
    /// Values and times can belong only to this number of latest statements.
    private static let reach = 8
    /// The precision of times in a log, in nanoseconds.
    private static let rounding: UInt64 = 100_000

    init(isOfOneThread: Bool) { self.isOfOneThread = isOfOneThread }

    mutating func push(_ statement: LogStatement) { statements.append(statement) }

    mutating func popOldest() -> LogStatement? {
        statements.count > Self.depthMax ? statements.removeFirst() : nil
    }

    mutating func popOldest(before place: Int) -> LogStatement? {
        guard let first = statements.first, first.order < place else { return nil }
        return statements.removeFirst()
    }

    subscript(index: Int) -> LogStatement {
        get { statements[index] }
        set { statements[index] = newValue }
    }

    // MARK: Finding

    func latest(_ fits: (LogStatement) -> Bool) -> Int? { statements.lastIndex(where: fits) }

    private func latestInReach(_ fits: (LogStatement) -> Bool) -> Int? {
        statements.indices.suffix(Self.reach).last { fits(statements[$0]) }
    }

    // MARK: Values and times

    mutating func take(value: [UInt8], at index: Int) {
        let found = latestInReach {
            $0.valueCount == index && $0.time == nil
                && (index < $0.parameterCount || $0.isTruncated)
        }
        if let found { statements[found].add(value: value) }
    }

    mutating func take(fetchTime time: UInt64, _ catalog: ShapeCatalog) {
        func waits(_ statement: LogStatement) -> Bool {
            statement.nanoseconds == nil && catalog[statement.shape].kind == "select"
        }
        if let last = statements.indices.last, waits(statements[last]) {
            statements[last].nanoseconds = time
            return
        }
        let found = latestInReach { waits($0) && !catalog[$0.shape].isHousekeeping }
        guard let found else { return }
        statements[found].nanoseconds = time
        // If a later statement already has a time, the two ran at the same time. Each time may then
        // belong to either statement.
        let other = statements.indices.suffix(Self.reach).last { index in
            index > found && statements[index].nanoseconds != nil
                && statements[index].shape != statements[found].shape
                && catalog[statements[index].shape].kind == "select"
        }
        guard !isOfOneThread, let other, statements[other].nanoseconds != time else { return }
        for index in [found, other] {
            statements[index].guessedNanoseconds = statements[index].nanoseconds
            statements[index].nanoseconds = nil
        }
    }

    mutating func take(executionTime time: UInt64, _ catalog: ShapeCatalog) {
        func waits(_ statement: LogStatement) -> Bool {
            statement.nanoseconds == nil && catalog[statement.shape].kind != "select"
        }
        if let last = statements.indices.last, waits(statements[last]) {
            statements[last].nanoseconds = time
        } else if let found = latestInReach({ waits($0) && catalog[$0.shape].isWrite }) {
            statements[found].nanoseconds = time
        }
    }

    // MARK: Totals

    /// - Returns: whether a statement received the total.
    mutating func take(
        fetchTotal time: UInt64, rows: Int, _ catalog: ShapeCatalog
    ) -> Bool {
        let total = Total(nanoseconds: time, rows: rows)
        if let found = waiting(for: total, catalog) {
            set(total, found)
            markGuess(found, catalog)
            return true
        }
        return !isOfOneThread && exchange(total, catalog)
    }

    private struct Total {
        var nanoseconds: UInt64
        var rows: Int
    }

    private mutating func set(_ total: Total, _ index: Int) {
        statements[index].totalNanoseconds = total.nanoseconds
        statements[index].rows = total.rows
        statements[index].role = .fetch
    }

    private func waiting(for total: Total, _ catalog: ShapeCatalog) -> Int? {
        var passed = 0
        for index in statements.indices.reversed() {
            let statement = statements[index]
            if waitsForTotal(statement, catalog) {
                if isPossible(total, statement, catalog) { return index }
            } else if catalog[statement.shape].kind == "select",
                !catalog[statement.shape].mayPrefetch, !isOfOneThread
            {
                passed += 1
                if passed > Self.reach { return nil }
            }
        }
        return nil
    }

    private func waitsForTotal(_ statement: LogStatement, _ catalog: ShapeCatalog) -> Bool {
        let shape = catalog[statement.shape]
        return statement.totalNanoseconds == nil && !statement.isClosed && shape.kind == "select"
            && (statement.role == .unknown || statement.role == .fetch) && !shape.isHousekeeping
    }

    /// Whether the total contradicts no known fact about the statement.
    private func isPossible(
        _ total: Total, _ statement: LogStatement, _ catalog: ShapeCatalog
    ) -> Bool {
        let shape = catalog[statement.shape]
        if let told = statement.reportedRows, told != total.rows { return false }
        if let limit = statement.limit, total.rows > limit, limit > 0 { return false }
        if shape.isByKey || shape.isCount, total.rows > 1 { return false }
        if shape.readsArray, statement.listCount > 1, shape.isOfList,
            total.rows > statement.listCount
        {
            return false
        }
        return total.nanoseconds + Self.rounding >= statement.nanoseconds ?? 0
    }

    /// Moves an earlier total to another statement, and assigns this total to the statement that
    /// had the earlier one. If threads cannot be distinguished, the earlier total may have been
    /// assigned to a statement of another thread.
    private mutating func exchange(_ total: Total, _ catalog: ShapeCatalog) -> Bool {
        for taken in statements.indices.suffix(Self.reach).reversed() {
            let other = statements[taken]
            guard other.role == .fetch, let nanoseconds = other.totalNanoseconds,
                let rows = other.rows, isPossible(total, other, catalog)
            else { continue }
            let theirs = Total(nanoseconds: nanoseconds, rows: rows)
            guard let found = waiting(for: theirs, catalog) else { continue }
            set(theirs, found)
            set(total, taken)
            return true
        }
        return false
    }

    /// Marks the row counts of two fetches as unknown. If the later fetch ended first, and each
    /// total fits both fetches, it is uncertain which total belongs to which fetch.
    private mutating func markGuess(_ index: Int, _ catalog: ShapeCatalog) {
        guard !isOfOneThread, index + 1 < statements.count else { return }
        let mine = statements[index]
        let other = statements.indices.last { later in
            later > index && statements[later].role == .fetch
                && statements[later].totalNanoseconds != nil
                && !catalog[statements[later].shape].mayPrefetch
                && !catalog[statements[later].shape].isByKey
        }
        guard let other, let rows = mine.rows, let time = mine.totalNanoseconds,
            let otherRows = statements[other].rows, rows != otherRows,
            let otherTime = statements[other].totalNanoseconds,
            statements[other].shape != mine.shape, mine.reportedRows == nil,
            statements[other].reportedRows == nil,
            isPossible(Total(nanoseconds: otherTime, rows: otherRows), mine, catalog),
            isPossible(Total(nanoseconds: time, rows: rows), statements[other], catalog)
        else { return }
        for index in [index, other] {
            statements[index].rows = nil
            statements[index].hasGuessedRows = true
        }
    }

    mutating func take(countTotal time: UInt64, _ catalog: ShapeCatalog) -> Bool {
        let found = latest {
            $0.totalNanoseconds == nil && $0.role == .unknown
                && (catalog[$0.shape].isCount
                    || $0.isTruncated && catalog[$0.shape].text.hasPrefix("SELECT COUNT"))
        }
        guard let found else { return false }
        statements[found].totalNanoseconds = time
        statements[found].rows = 1
        statements[found].role = .count
        return true
    }

    // MARK: Prefetches

    /// Assigns the annotation of a prefetch to the statement that read its objects. Earlier
    /// statements that read a join table for this prefetch are complete, too.
    mutating func take(prefetch path: String, rows: Int, _ catalog: ShapeCatalog) {
        func fits(_ statement: LogStatement) -> Bool {
            catalog[statement.shape].mayPrefetch && !statement.isClosed
                && (statement.role == .unknown || statement.role == .fetch)
        }
        let found =
            latest { fits($0) && $0.rows ?? rows == rows }
            ?? latest {
                $0.isTruncated && $0.role == .unknown && catalog[$0.shape].kind == "select"
            }
            ?? statements.indices.last.flatMap { fits(statements[$0]) ? $0 : nil }
        guard let found else { return }
        statements[found].role = .prefetch(keyPath: path)
        statements[found].rows = statements[found].rows ?? rows
        statements[found].isClosed = true
        for index in statements.indices[..<found].reversed() {
            let isOfPairs = catalog[statements[index].shape].table?.hasPrefix("Z_") ?? false
            guard isOfPairs, statements[index].totalNanoseconds == nil, fits(statements[index])
            else { break }
            statements[index].isClosed = true
        }
    }
}
