/// The facts that a run lacks, which the judge of a recording reports.
struct RunGaps {
    var forgotten = 0
    var values = 0
    var rows = 0
    var batches = 0
    /// The number of operations that were only counted.
    var skipped = 0
    /// The descriptions of operations that are not recorded, with their numbers.
    var others: [String: Int] = [:]
    private var beside: [String] = []

    mutating func note(_ run: RecordedRun) {
        forgotten = run.forgotten
        beside = run.beside
    }

    /// One phrase for each kind of missing fact.
    var phrases: [String] {
        let counted = [
            (forgotten, "older operations that were not kept"),
            (values, "values that are unknown"),
            (rows, "objects of saves whose rows were not kept"),
            (skipped, "reads, changes and new objects that were only counted"),
            (batches, "batch requests, whose rows are not recorded"),
        ]
        return counted.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            + others.sorted { $0.key < $1.key }.map {
                $0.value > 1 ? "\($0.key) (\($0.value))" : $0.key
            }
            + beside
    }
}
