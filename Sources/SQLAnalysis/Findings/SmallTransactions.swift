import LabResults

/// Finds many saves that each write a single row.
struct SmallTransactions: Sendable {
    private struct Transaction {
        var writes = 0
        var line: Int
    }

    private var open: [LogScope: Transaction] = [:]
    private var count = 0
    private var lines = FirstLines()

    private static let countMin = 20
    private static let openMax = 256

    mutating func take(_ statement: LogStatement, _ shape: StatementShape) {
        let scope = statement.scope
        switch shape.kind {
        case "begin":
            if open.count >= Self.openMax { open.removeAll() }
            open[scope] = Transaction(line: statement.line)
        case "insert", "update", "delete":
            // Metadata tables, join tables and the history are not counted.
            guard let table = shape.table, !table.hasPrefix("Z_"), !shape.isHistory else { return }
            open[scope]?.writes += 1
        case "commit":
            if let transaction = open[scope], transaction.writes == 1 {
                count += 1
                lines.add(transaction.line)
            }
            open[scope] = nil
        default: break
        }
    }

    var finding: SQLFinding? {
        guard count >= Self.countMin else { return nil }
        return SQLFinding(
            kind: .smallTransactions,
            title: "\(count) transactions had a single statement each",
            statements: count, lines: lines.lines,
            advice: "Save many changes at once, for example 1,000 rows; each transaction waits for "
                + "the disk. For imports use NSBatchInsertRequest.")
    }
}
