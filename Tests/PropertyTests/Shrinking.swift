/// Removes steps of a failing sequence as long as it still fails. Larger groups of steps are
/// removed first.
struct Shrinking {
    let fails: ([Operation]) -> Bool

    func shrink(_ operations: [Operation]) -> [Operation] {
        var kept = operations
        var size = max(kept.count / 2, 1)
        while true {
            let before = kept.count
            kept = removingPieces(of: size, from: kept)
            if size == 1, kept.count == before { return kept }
            size = max(size / 2, 1)
        }
    }

    private func removingPieces(of size: Int, from operations: [Operation]) -> [Operation] {
        var kept = operations
        var start = 0
        while start < kept.count {
            var candidate = kept
            candidate.removeSubrange(start..<min(start + size, kept.count))
            if fails(candidate) { kept = candidate } else { start += size }
        }
        return kept
    }
}
