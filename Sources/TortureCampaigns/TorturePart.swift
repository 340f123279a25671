import LabResults

/// A kind of attack, which consists of numbered attempts. The campaign's seed and the number
/// determine an attempt.
///
/// ``TortureCampaign`` runs the attempts in slices, so that a campaign can be stopped and
/// continued.
package protocol TorturePart: Sendable {
    /// The name in reports and in `--only`.
    var name: String { get }

    /// The minimum number of attempts in a slice. Fewer would leave processors idle, or would take
    /// longer to start than to run.
    var attemptsOfSliceMin: Int { get }

    /// Runs the attempts with these numbers.
    ///
    /// An attempt must depend neither on other attempts nor on the division into slices.
    ///
    /// - Throws: an error only if the attack itself cannot run, for example without a C compiler.
    func run(
        _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
    ) throws -> TortureSlice
}

extension TorturePart {
    package var attemptsOfSliceMin: Int { 16 }
}

/// The result of a slice of attempts.
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
