import LabResults

/// Finds repeated reads: several faults of one object, or several fetches with equal values. Each
/// different read takes only a few bytes.
struct RepeatedReads: Sendable {
    /// The reads so far, by a hash of the facts that identify a read.
    private var seen: [UInt64: Reading] = [:]
    private var faults: [String: Faults] = [:]
    private var fetches: [UInt64: Fetches] = [:]
    /// Whether some reads were not recorded, because the log has more than `seenMax` different
    /// ones.
    private(set) var isFull = false

    /// The maximum number of different reads, which take about 40 MB.
    static let seenMax = 700_000

    private struct Reading {
        var line: UInt32
        var microseconds: UInt32
        var count: UInt32
    }

    private struct Faults {
        /// The number of objects that were read more than once.
        var objects = 0
        var statements = 0
        var nanoseconds: UInt64 = 0
        var most = 0
        var lines = FirstLines()
        var shape: Int?
    }

    private struct Fetches {
        var shape: Int
        var isCount: Bool
        var count: Int
        var nanoseconds: UInt64
        var lines = FirstLines()
    }

    // MARK: Taking

    /// Counts a fault of an object or of one of its relationships.
    ///
    /// - Parameter writes: the number of earlier writes to the object's table.
    mutating func take(fault access: Access, writes: Int, _ process: UInt64?) {
        guard let object = access.object, !object.key.hasPrefix("?") else { return }
        var name = object.entity
        if case .toManyFault(let relationship) = access.kind { name += "." + relationship }
        var hash = ByteText.hash(name.utf8)
        hash = ByteText.hash(object.key.utf8, hash &* 31 &+ 1)
        hash = ByteText.hash(object.store.utf8, hash &* 31 &+ (process ?? 0))
        hash = (hash ^ UInt64(writes)) &* 0x100_0000_01B3
        guard let before = note(hash, access.line, access.nanoseconds) else { return }
        var entry = faults[name] ?? Faults()
        if before.count == 1 {
            entry.objects += 1
            entry.statements += 1
            entry.nanoseconds &+= UInt64(before.microseconds) * 1_000
            entry.lines.add(Int(before.line))
        }
        entry.statements += 1
        entry.nanoseconds &+= access.nanoseconds
        entry.most = max(entry.most, Int(before.count) + 1)
        entry.lines.add(access.line)
        entry.shape = entry.shape ?? access.shape
        faults[name] = entry
    }

    /// Counts a fetch or a count of rows. A request whose values are unknown may be a different
    /// request each time, so it is left out.
    ///
    /// - Parameter writes: the number of earlier writes to the statement's tables.
    mutating func take(fetch statement: LogStatement, writes: Int) {
        guard let identity = statement.identity else { return }
        var hash = ByteText.hash([1]) &+ UInt64(statement.shape) &* 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ identity) &* 0x100_0000_01B3
        hash = (hash ^ UInt64(writes)) &* 0x100_0000_01B3 &+ (statement.scope.process ?? 0)
        guard let before = note(hash, statement.line, statement.time ?? 0) else { return }
        var entry =
            fetches[hash]
            ?? Fetches(
                shape: statement.shape, isCount: statement.role == .count, count: 1,
                nanoseconds: UInt64(before.microseconds) * 1_000)
        if entry.count == 1 { entry.lines.add(Int(before.line)) }
        entry.count += 1
        entry.nanoseconds &+= statement.time ?? 0
        entry.lines.add(statement.line)
        fetches[hash] = entry
    }

    /// - Returns: the earlier reads; nil for the first one.
    private mutating func note(_ hash: UInt64, _ line: Int, _ nanoseconds: UInt64) -> Reading? {
        if let before = seen[hash] {
            seen[hash]?.count &+= 1
            return before
        }
        guard seen.count < Self.seenMax else {
            isFull = true
            return nil
        }
        seen[hash] = Reading(
            line: UInt32(clamping: line), microseconds: UInt32(clamping: nanoseconds / 1_000),
            count: 1)
        return nil
    }

    // MARK: Findings

    /// - Parameter shapes: the statements that findings about chains already report.
    func findings(
        _ catalog: ShapeCatalog, _ names: EntityNames, except shapes: Set<Int>
    ) -> [SQLFinding] {
        let repeated = faults.sorted { $0.key < $1.key }.compactMap { fault($0, $1, catalog) }
        return repeated
            + fetches.values.filter { $0.count >= 3 && !shapes.contains($0.shape) }
            .sorted {
                ($0.lines.lines.first ?? 0, $0.shape) < ($1.lines.lines.first ?? 0, $1.shape)
            }.map { fetch($0, catalog, names) }
    }

    private func fault(_ name: String, _ entry: Faults, _ catalog: ShapeCatalog) -> SQLFinding? {
        guard entry.statements - entry.objects >= 2 else { return nil }
        let isMany = entry.objects > 1
        let what =
            name.contains(".")
            ? "The relationship \(name) of \(isMany ? "\(entry.objects) objects" : "one object")"
            : isMany ? "\(entry.objects) objects of \(name)" : "One object of \(name)"
        return SQLFinding(
            kind: .repeatedFault,
            title: "\(what) \(isMany && !name.contains(".") ? "were" : "was") read from the store "
                + "again and again, up to \(entry.most) times",
            statements: entry.statements, nanoseconds: entry.nanoseconds,
            lines: entry.lines.lines,
            advice: "Keep the objects, or the context, while they are used; do not reset or refresh"
                + " between reads, and let the contexts share one coordinator and its row cache.",
            statement: entry.shape.map { catalog[$0].text })
    }

    private func fetch(
        _ entry: Fetches, _ catalog: ShapeCatalog, _ names: EntityNames
    ) -> SQLFinding {
        SQLFinding(
            kind: .repeatedFetch,
            title: "The same \(entry.isCount ? "count" : "fetch") of "
                + "\(names.shown(table: catalog[entry.shape].table)) ran "
                + "\(entry.count) times with equal values",
            statements: entry.count, nanoseconds: entry.nanoseconds, lines: entry.lines.lines,
            advice: "Keep the result, or let an NSFetchedResultsController watch for changes.",
            statement: catalog[entry.shape].text)
    }
}
