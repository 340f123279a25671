import BenchResults
import CYardstick

/// The C baseline's side of the workloads.
enum BaselineSide {
    /// Runs one operation on a file. The file contains the data unless the operation inserts it.
    static func run(
        _ variant: WorkloadVariant, file: String, dataset: Dataset?
    ) throws(MeasurementError) -> SideRun {
        guard let twin = variant.operation.twin else {
            throw MeasurementError("\(variant.operation.name) has no C baseline")
        }
        let run = TwinRun(variant: variant, file: file, dataset: dataset)
        return sideRun(try call { twin.run(run, $0) })
    }

    static func create(_ file: String) throws(MeasurementError) {
        _ = try call { cb_create(file, $0) }
    }

    /// A checksum of all rows in a file of authors and books.
    static func digest(_ file: String) throws(MeasurementError) -> UInt64 {
        try call { cb_digest(file, $0) }.checksum
    }

    /// A connection that stays open, so that the file keeps a write-ahead log with a valid header.
    struct HeldLog: ~Copyable {
        private let connection: UnsafeMutableRawPointer?

        init(_ file: String) { connection = cb_hold(file) }

        deinit { cb_let_go(connection) }
    }

    static func dropIndexes(_ file: String) throws(MeasurementError) {
        _ = try call { cb_drop_indexes(file, $0) }
    }

    private static func call(
        _ body: (UnsafeMutablePointer<cb_result>) -> Void
    ) throws(MeasurementError) -> cb_result {
        var result = cb_result()
        body(&result)
        guard result.code == 0 else {
            let text = withUnsafeBytes(of: &result.error) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw MeasurementError("the C baseline failed in SQLite (\(result.code)): \(text)")
        }
        return result
    }

    private static func sideRun(_ result: cb_result) -> SideRun {
        var run = SideRun(nanoseconds: result.nanoseconds, checksum: result.checksum)
        run.counts.rows = Int(result.rows)
        run.counts.vmSteps = Int(result.vm_steps)
        withUnsafePointer(to: result.statements) { tuple in
            tuple.withMemoryRebound(to: cb_statement.self, capacity: Int(CB_STATEMENTS_MAX)) {
                for index in 0..<Int(result.statement_count) {
                    let count = statementCount($0[index])
                    run.counts.statements[count.kind, default: 0] += count.count
                    run.statements.append(count)
                }
            }
        }
        if result.fetches > 0 {
            run.figures = BenchFigure.fetchTimes(
                Int(result.fetches), median: Double(result.median),
                percentile99: Double(result.percentile_99))
        }
        if result.saves > 0 {
            run.figures.append(
                BenchFigure("saves meanwhile", Double(result.saves), unit: .count))
        }
        return run
    }

    private static func statementCount(_ statement: cb_statement) -> StatementCount {
        let kind =
            switch statement.kind {
            case CB_SELECT: "select"
            case CB_INSERT: "insert"
            case CB_UPDATE: "update"
            case CB_DELETE: "delete"
            case CB_BEGIN: "begin"
            case CB_COMMIT: "commit"
            default: "other"
            }
        var sql = statement.sql
        let text = withUnsafeBytes(of: &sql) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return StatementCount(kind: kind, text: text, count: Int(statement.executions))
    }
}
