/// Shrinks a program that causes a difference. Steps are removed, large groups first, if a
/// difference remains without them.
struct ProgramShrinker {
    private static let trialsMax = 400

    let fails: (RandomProgram) -> Bool

    func shrunk(_ program: RandomProgram) -> RandomProgram {
        var kept = program
        var trials = 0
        var size = max(kept.steps.count / 2, 1)
        while trials < Self.trialsMax {
            let before = kept.steps.count
            var start = 0
            while start < kept.steps.count, trials < Self.trialsMax {
                var candidate = kept
                candidate.steps.removeSubrange(start..<min(start + size, kept.steps.count))
                trials += 1
                if fails(candidate) { kept = candidate } else { start += size }
            }
            if size == 1, kept.steps.count == before { break }
            size = max(size / 2, 1)
        }
        return withFewerValues(kept)
    }

    /// Removes those values of new objects that the difference does not need.
    private func withFewerValues(_ program: RandomProgram) -> RandomProgram {
        var kept = program
        for index in kept.steps.indices {
            guard case .insert(let kind, let number, let values) = kept.steps[index] else {
                continue
            }
            var left = values
            for attribute in values.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                var candidate = kept
                var fewer = left
                fewer[attribute] = nil
                candidate.steps[index] = .insert(kind, number, fewer)
                if fails(candidate) { (kept, left) = (candidate, fewer) }
            }
        }
        return kept
    }
}
