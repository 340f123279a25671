import LabResults

/// The sums of a log.
///
/// The log reader makes one.
struct LogSummary {
    private(set) var totals = SQLTotals()
    private(set) var shapes: [SQLShape] = []
    /// By shape: how often, how long, where first.
    private(set) var seen: [Int: (count: Int, nanoseconds: UInt64, line: Int)] = [:]

    init(_ content: LogContent, names: EntityNames, plans: [Int: [String]]) {
        var byShape: [Int: SQLShape] = [:]
        for statement in content.statements {
            let shape = content.shapes[statement.shape]
            count(statement, shape)
            var entry =
                byShape[statement.shape]
                ?? SQLShape(
                    kind: shape.kind, text: shape.text, entity: names.shown(table: shape.table),
                    line: statement.line, plan: plans[statement.shape] ?? [])
            entry.count += 1
            entry.rows += statement.rows ?? 0
            let time = statement.time ?? 0
            entry.nanoseconds &+= time
            if time > entry.worstNanoseconds {
                entry.worstNanoseconds = time
                entry.line = statement.line
            }
            entry.isTruncated = entry.isTruncated || statement.isTruncated
            byShape[statement.shape] = entry
        }
        shapes = byShape.sorted { one, other in
            let (left, right) = (one.value, other.value)
            if left.nanoseconds != right.nanoseconds { return left.nanoseconds > right.nanoseconds }
            return left.count == right.count ? one.key < other.key : left.count > right.count
        }.map(\.value)
        for (index, shape) in byShape {
            seen[index] = (shape.count, shape.nanoseconds, shape.line)
        }
        finish(content)
    }

    private mutating func count(_ statement: LogStatement, _ shape: StatementShape) {
        totals.statements += 1
        totals.rows += statement.rows ?? 0
        totals.nanoseconds &+= statement.time ?? 0
        if statement.isTruncated { totals.truncated += 1 }
        switch shape.kind {
        case "select": totals.selects += 1
        case "commit": totals.transactions += 1
        default: if shape.isWrite { totals.writes += 1 }
        }
        switch statement.role {
        case .fault, .toManyFault: totals.faults += 1
        default: break
        }
    }

    private mutating func finish(_ content: LogContent) {
        totals.lines = content.lineCount
        totals.otherLines = content.otherLineCount
        totals.threads = content.threads.count
        totals.faults += content.orphans.count
        guard let first = content.firstSecond, let last = content.lastSecond, last > first else {
            return
        }
        // A clock that was set far in between makes no span.
        let span = last - first
        guard span < 1e9 else { return }
        totals.spanNanoseconds = UInt64(span * 1_000_000_000)
        totals.transactionsPerSecond =
            (Double(totals.transactions) / span * 100).rounded() / 100
    }
}
