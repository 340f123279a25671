import BenchResults

/// A count that a workload file may predict, because it does not depend on the version of SQLite.
/// The suite compares each prediction with the measured count.
package enum PredictableCount: String, Sendable, CaseIterable {
    case select, insert, update, delete
    /// All statements, including those that begin and end transactions.
    case statements
    case rows
    case faults
    case rowCacheHits = "row-cache-hits"
    case relationshipFaults = "relationship-faults"
    case prefetches

    package func value(in counts: BenchCounts) -> Int {
        switch self {
        case .select, .insert, .update, .delete: counts.statements[rawValue] ?? 0
        case .statements: counts.statementTotal
        case .rows: counts.rows
        case .faults: counts.faults
        case .rowCacheHits: counts.rowCacheHits
        case .relationshipFaults: counts.relationshipFaults
        case .prefetches: counts.prefetches
        }
    }
}
