/// Divides the rows of a group into single rows and runs. The rows of a run have consecutive keys
/// and the same version, so one statement can write them. A run has at least ``rowsMin`` rows.
struct RowRuns: Sequence, IteratorProtocol {
    /// The minimum number of rows in a run, which is the number of rows in one INSERT.
    static let rowsMin = InsertColumns.rowsPerGroup
    /// The maximum number of rows in a run. It limits the memory for the values of a statement.
    static let rowsMax = 256

    private let keys: ContiguousArray<Int64>
    private let versions: ContiguousArray<Int32>
    /// The index of the first row of the next part.
    private var start = 0
    /// The end of the consecutive rows that are too few for a run.
    private var end = 0

    init(_ keys: ContiguousArray<Int64>, _ versions: ContiguousArray<Int32>) {
        assert(keys.count == versions.count, "the number of versions is not the number of rows")
        self.keys = keys
        self.versions = versions
    }

    mutating func next() -> Range<Int>? {
        let first = start
        guard first < keys.count else { return nil }
        if first >= end {
            end = endOfRun(from: first)
            if end - first >= Self.rowsMin {
                start = end
                return first..<end
            }
        }
        start = first + 1
        return first..<start
    }

    private func endOfRun(from first: Int) -> Int {
        let limit = Swift.min(keys.count, first + Self.rowsMax)
        var end = first + 1
        while end < limit, keys[end - 1] < .max, keys[end] == keys[end - 1] + 1,
            versions[end] == versions[first]
        { end += 1 }
        return end
    }
}
