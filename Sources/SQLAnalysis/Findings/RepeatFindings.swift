import LabResults

/// Finds repetition and lack of bounds.
struct RepeatFindings {
    let content: LogContent
    let names: EntityNames
    /// From how many rows on a fetch without limit or batches is told.
    let unboundedRows: Int

    func all(_ accesses: [Access], inChains shapes: Set<Int>) -> [SQLFinding] {
        faults(accesses) + fetches(except: shapes) + unbounded() + smallTransactions()
    }

    private static let linesMax = 8

    // MARK: Faults

    private struct Reading: Hashable {
        var object: LoggedObject
        var relationship: String?
    }

    private func faults(_ accesses: [Access]) -> [SQLFinding] {
        var seen: [Reading: [Access]] = [:]
        for access in accesses {
            guard let object = access.object, !object.key.hasPrefix("?") else { continue }
            var reading = Reading(object: object)
            if case .toManyFault(let name) = access.kind { reading.relationship = name }
            seen[reading, default: []].append(access)
        }
        var byName: [String: [[Access]]] = [:]
        for (reading, accesses) in seen where accesses.count > 1 {
            let name = [reading.object.entity, reading.relationship].compactMap(\.self)
                .joined(separator: ".")
            byName[name, default: []].append(accesses)
        }
        return byName.sorted { $0.key < $1.key }.compactMap { fault($0, $1) }
    }

    private func fault(_ name: String, _ objects: [[Access]]) -> SQLFinding? {
        let all = objects.flatMap(\.self).sorted { $0.line < $1.line }
        let most = objects.map(\.count).max() ?? 0
        guard all.count - objects.count >= 2 else { return nil }
        let isMany = objects.count > 1
        let what =
            name.contains(".")
            ? "The relationship \(name) of \(isMany ? "\(objects.count) objects" : "one object")"
            : isMany ? "\(objects.count) objects of \(name)" : "One object of \(name)"
        return SQLFinding(
            kind: .repeatedFault,
            title: "\(what) \(isMany && !name.contains(".") ? "were" : "was") read from the store "
                + "again and again, up to \(most) times",
            statements: all.count, nanoseconds: all.reduce(0) { $0 &+ $1.nanoseconds },
            lines: all.prefix(Self.linesMax).map(\.line),
            advice: "Keep the objects, or the context, as long as they are used; do not reset or "
                + "refresh between reads, and let the contexts share one coordinator and its row "
                + "cache.",
            statement: all.first?.shape.map { content.shapes[$0].text })
    }

    // MARK: Fetches

    private struct Fetch: Hashable {
        var shape: Int
        var values: [String]
    }

    private func fetches(except shapes: Set<Int>) -> [SQLFinding] {
        var seen: [Fetch: [LogStatement]] = [:]
        for statement in content.statements {
            let shape = content.shapes[statement.shape]
            let takesValues = shape.text.contains("?")
            guard shape.kind == "select", !shapes.contains(statement.shape), !shape.isByKey,
                !shape.readsArray, !takesValues || !statement.bindings.isEmpty,
                statement.role == .fetch || statement.role == .count
            else { continue }
            seen[Fetch(shape: statement.shape, values: statement.bindings), default: []]
                .append(statement)
        }
        return seen.filter { $1.count >= 3 }
            .sorted { ($0.value[0].line, $0.key.shape) < ($1.value[0].line, $1.key.shape) }
            .map { fetch, statements in
                SQLFinding(
                    kind: .repeatedFetch,
                    title: "The same \(statements[0].role == .count ? "count" : "fetch") of "
                        + "\(names.shown(table: content.shapes[fetch.shape].table)) ran "
                        + "\(statements.count) times with equal values",
                    statements: statements.count,
                    nanoseconds: statements.reduce(0) { $0 &+ ($1.time ?? 0) },
                    lines: statements.prefix(Self.linesMax).map(\.line),
                    advice: "Keep the result, or let an NSFetchedResultsController watch for "
                        + "changes.",
                    statement: content.shapes[fetch.shape].text)
            }
    }

    private func unbounded() -> [SQLFinding] {
        var worst: [Int: (rows: Int, lines: [Int], time: UInt64)] = [:]
        for statement in content.statements where statement.role == .fetch {
            let shape = content.shapes[statement.shape]
            guard let rows = statement.rows, rows >= unboundedRows, !shape.hasLimit,
                !shape.isKeysOnly, !shape.isGrouped, !shape.readsArray
            else { continue }
            var entry = worst[statement.shape] ?? (0, [], 0)
            entry.rows = max(entry.rows, rows)
            entry.lines.append(statement.line)
            entry.time &+= statement.time ?? 0
            worst[statement.shape] = entry
        }
        return worst.sorted { $0.key < $1.key }.map { shape, entry in
            SQLFinding(
                kind: .unboundedFetch,
                title: "A fetch of \(names.shown(table: content.shapes[shape].table)) without "
                    + "limit or batch size gave \(entry.rows) rows",
                statements: entry.lines.count, nanoseconds: entry.time,
                lines: Array(entry.lines.prefix(Self.linesMax)),
                advice: "Set a batch size, so that rows are read as they are used, or a "
                    + "fetchLimit where the first rows are enough; count with count(for:), and "
                    + "add up with a dictionary result.",
                code: "request.fetchBatchSize = \(ChainFindings.batchSize)",
                statement: content.shapes[shape].text)
        }
    }

    // MARK: Transactions

    /// From how many on saves of a single row are told.
    private static let smallTransactionsMin = 20

    private func smallTransactions() -> [SQLFinding] {
        var writes: [String?: Int] = [:]
        var began: [String?: Int] = [:]
        var small: [Int] = []
        for statement in content.statements {
            let shape = content.shapes[statement.shape]
            switch shape.kind {
            case "begin":
                writes[statement.thread] = 0
                began[statement.thread] = statement.line
            case "insert", "update", "delete":
                if shape.table?.hasPrefix("Z_") == false {
                    writes[statement.thread, default: 0] += 1
                }
            case "commit":
                if writes[statement.thread] == 1, let line = began[statement.thread] {
                    small.append(line)
                }
                writes[statement.thread] = nil
            default: break
            }
        }
        guard small.count >= Self.smallTransactionsMin else { return [] }
        return [
            SQLFinding(
                kind: .smallTransactions,
                title: "\(small.count) transactions wrote with a single statement each",
                statements: small.count, lines: Array(small.prefix(Self.linesMax)),
                advice: "Save once for many changes, 1,000 rows or so; each transaction waits for "
                    + "the disk. For imports use NSBatchInsertRequest.")
        ]
    }
}
