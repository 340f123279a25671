// Owns the calls into C: the twin of every operation, and the digest of files for both sides.

import CBaseline
import LabResults

/// The workloads in C.
enum BaselineSide {
    /// Runs one operation on a file, which holds the data except for an insert.
    static func run(
        _ variant: WorkloadVariant, file: String, dataset: Dataset?
    ) throws(MeasurementError) -> SideRun {
        let result =
            switch variant.operation {
            case .fullFetch: try call { cb_full_fetch(file, $0) }
            case .fireFaults: try call { cb_faults(file, $0) }
            case .batchFaults:
                try call { cb_batches(file, Int64(variant.integer("batch")), batch(variant), $0) }
            case .readToMany: try call { cb_to_many(file, touch(variant), $0) }
            case .prefetchToMany: try call { cb_prefetch(file, touch(variant), $0) }
            case .insert: try insert(dataset, file: file)
            case .update: try call { cb_update(file, Int64(variant.integer("count")), $0) }
            case .cascadeDelete:
                try call { cb_cascade_delete(file, Int64(variant.integer("count")), $0) }
            }
        let checksum = variant.operation.writes ? try digest(file) : result.checksum
        return sideRun(result, checksum: checksum)
    }

    /// Makes an empty file in the schema that Core Data gives authors and books.
    static func create(_ file: String) throws(MeasurementError) {
        _ = try call { cb_create(file, $0) }
    }

    /// Makes a file with the rows of a dataset.
    static func makeLibrary(_ file: String, _ dataset: Dataset) throws(MeasurementError) {
        try create(file)
        _ = try insert(dataset, file: file)
    }

    /// A digest of all rows in a file.
    static func digest(_ file: String) throws(MeasurementError) -> UInt64 {
        try call { cb_digest(file, $0) }.checksum
    }

    private static func insert(
        _ dataset: Dataset?, file: String
    ) throws(MeasurementError) -> cb_result {
        guard let dataset else { throw MeasurementError("an insert was run without its rows") }
        return try call { result in dataset.withBaseline { cb_insert(file, $0, result) } }
    }

    private static func batch(_ variant: WorkloadVariant) -> cb_batch_statement {
        variant.word("twin") == "array-join" ? CB_ARRAY_JOIN : CB_IN_LIST
    }

    private static func touch(_ variant: WorkloadVariant) -> cb_touch {
        variant.word("touch") == "all" ? CB_TOUCH_ALL : CB_TOUCH_COUNT
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
            throw MeasurementError("SQLite refused the C side's work (\(result.code)): \(text)")
        }
        return result
    }

    private static func sideRun(_ result: cb_result, checksum: UInt64) -> SideRun {
        var run = SideRun(nanoseconds: result.nanoseconds, checksum: checksum)
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
