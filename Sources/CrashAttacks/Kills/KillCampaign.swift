import LabBench
import TortureCampaigns

/// Kills victims of all kinds, and verifies the stores that they leave.
struct KillCampaign: TorturePart {
    let name = "kills"
    let workshop: CrashWorkshop
    var plant: PlantedFault?
    var kinds = VictimKind.allCases

    func run(
        _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
    ) throws -> TortureSlice {
        try ParallelAttempts().run(attempts, progress: progress) { number, slice in
            try one(number, CrashAttempt(number, seed, kinds), &slice)
        }
    }

    private func one(_ number: Int, _ attempt: CrashAttempt, _ slice: inout TortureSlice) throws {
        var random = attempt.random
        let calls = try workshop.calls(attempt.kind, attempt.journal)
        let orders = Self.orders(calls, &random)
        let folder = try workshop.makeFolder(name)
        defer { workshop.discard(folder) }
        let stores = try workshop.makeStores(attempt.kind, attempt.journal, in: folder)
        let request = attempt.request(in: stores, plant: plant)
        let outcome = try workshop.run(request, orders, in: folder)
        let story = outcome.story
        let label = attempt.label(orders)
        slice.count("victims")
        slice.count("acknowledged saves", story.done.count)
        switch outcome.ending {
        case .signalled(9):
            slice.count("kills")
            slice.count("kills of \(attempt.kind.rawValue)")
        case .exited(0) where story.isFinished: slice.count("victims that finished before the kill")
        default:
            slice.fail(number, "\(label): \(outcome.shown)")
        }
        if let failure = story.failures.first {
            slice.fail(number, "\(label): step \(failure.step) failed: \(failure.text)")
        }
        let expected = VerifiedCase(folder: stores, done: story.done, open: story.open)
        for verdict in try workshop.verify(request, [expected], in: folder) {
            if let finding = verdict.finding { slice.fail(number, "\(label): \(finding)") }
        }
    }

    /// Kills a third of the victims before a system call that changes a file, and a third in the
    /// middle of a write. The others are killed up to 2 ms after a call begins.
    private static func orders(_ calls: Int, _ random: inout SplitMix64) -> IOShim.Orders {
        let call = 1 + random.below(max(1, calls))
        switch random.below(3) {
        case 0: return .kill(at: call, isTorn: false)
        case 1: return .kill(at: call, isTorn: true)
        default: return .killLater(after: call, microseconds: random.below(2_000))
        }
    }
}
