import LabResults

/// One kind of attack: a row of numbered attempts, each made of the campaign's seed and its number.
///
/// Called by ``TortureCampaign``, which runs the attempts in slices, so that a campaign can be
/// stopped and go on.
package protocol TorturePart: Sendable {
    /// What reports and `--only` call it.
    var name: String { get }

    /// How many attempts are worth starting with: fewer would not keep every processor busy, or
    /// cost more to start than to run.
    var attemptsOfSliceMin: Int { get }

    /// Runs the attempts with these numbers.
    ///
    /// An attempt must not depend on others or on how they were sliced.
    ///
    /// - Throws: only where the attack itself cannot run, such as for want of a C compiler.
    func run(
        _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
    ) throws -> TortureSlice
}

extension TorturePart {
    package var attemptsOfSliceMin: Int { 16 }
}

/// What a slice of attempts came to.
package struct TortureSlice: Sendable {
    package var counts: [String: Int] = [:]
    package var failures: [TortureFailure] = []

    package init() {}

    package mutating func count(_ name: String, _ number: Int = 1) {
        counts[name, default: 0] += number
    }

    package mutating func fail(_ attempt: Int, _ what: String, input: String? = nil) {
        failures.append(TortureFailure(attempt: attempt, what: what, input: input))
    }
}
