import Foundation
import TortureCampaigns

/// Runs fuzzed inputs through one reader of untrusted input.
package struct FuzzPart: TorturePart {
    /// The maximum number of faults with the same cause that a slice reports. The others are only
    /// counted.
    private static let faultsOfCause = 3

    package var name: String { "fuzz-\(target)" }
    private let target: String
    private let pool: FuzzPool
    private let shrinks: Bool

    package init(_ target: String, pool: FuzzPool, shrinks: Bool = true) {
        self.target = target
        self.pool = pool
        self.shrinks = shrinks
    }

    package func run(
        _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
    ) throws -> TortureSlice {
        let tally = try pool.run(target, attempts, seed: seed, progress: progress)
        var slice = TortureSlice()
        slice.count("inputs", attempts.count)
        slice.count("accepted", tally.accepted)
        slice.count("refused", tally.refused)
        if tally.tired > 0 { slice.count("workers replaced for their memory", tally.tired) }
        if tally.endedIdle > 0 { slice.count("workers that ended between inputs", tally.endedIdle) }
        guard !tally.faults.isEmpty else { return slice }
        let maker = try FuzzTargets.target(target)
        var told: [String: Int] = [:]
        for fault in tally.faults.sorted(by: { $0.attempt < $1.attempt }) {
            slice.count(Self.plural(fault.kind))
            told[fault.signature, default: 0] += 1
            let count = told[fault.signature] ?? 0
            guard count <= Self.faultsOfCause else { continue }
            var input = maker.input(of: fault.attempt, seed: seed)
            if shrinks, count == 1 {
                input = try FuzzShrinker(pool: pool, target: target, fault: fault).shrunk(input)
            }
            slice.fail(fault.attempt, fault.what, input: FuzzInput.text(input))
        }
        return slice
    }

    private static func plural(_ kind: FuzzFault.Kind) -> String {
        switch kind {
        case .crash: "crashes"
        case .hang: "hangs"
        case .memory: "inputs beyond the bound on memory"
        case .broken: "broken guarantees"
        }
    }
}

/// An input as text for reports. Plain ASCII text is unchanged, and other data are in base64.
package enum FuzzInput {
    private static let prefix = "base64:"

    package static func text(_ input: [UInt8]) -> String {
        let isPlain = input.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A }
        if isPlain, !input.starts(with: Array(prefix.utf8)) {
            return String(decoding: input, as: UTF8.self)
        }
        return prefix + Data(input).base64EncodedString()
    }
}
