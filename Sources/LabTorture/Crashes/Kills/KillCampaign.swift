// Owns the campaign that ends victims at chosen calls and at any time.

import LabBench

/// Kills victims of all kinds, and verifies what they leave.
struct KillCampaign: TorturePart {
    let name = "kills"
    let workshop: CrashWorkshop
    var plant: PlantedFault?
    var kinds = VictimKind.allCases

    /// One attempt, made of its number and the seed.
    struct Attempt: Equatable {
        let kind: VictimKind
        let journal: JournalSetting
        let seed: UInt64
        var random: SplitMix64

        /// Kinds take turns, so that few attempts reach each of them.
        init(_ number: Int, _ seed: UInt64, _ kinds: [VictimKind]) {
            random = SplitMix64(seed: seed ^ (UInt64(number) &* 0xD134_2543_DE82_EF95))
            kind = kinds[number % kinds.count]
            journal = kind.journals[random.below(kind.journals.count)]
            self.seed = random.next()
        }

        static func == (one: Attempt, other: Attempt) -> Bool {
            one.kind == other.kind && one.journal == other.journal && one.seed == other.seed
        }
    }

    func run(
        _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
    ) throws -> TortureSlice {
        try ParallelAttempts().run(attempts, progress: progress) { number, slice in
            try one(number, Attempt(number, seed, kinds), &slice)
        }
    }

    private func one(_ number: Int, _ attempt: Attempt, _ slice: inout TortureSlice) throws {
        var random = attempt.random
        let calls = try workshop.calls(attempt.kind, attempt.journal)
        let orders = Self.orders(calls, &random)
        let folder = try workshop.makeFolder(name)
        defer { workshop.discard(folder) }
        let stores = try workshop.makeStores(attempt.kind, attempt.journal, in: folder)
        let request = VictimRequest(
            work: .write, kind: attempt.kind, journal: attempt.journal, folder: stores,
            seed: attempt.seed, plant: plant)
        let outcome = try workshop.run(request, orders, in: folder)
        let story = outcome.story
        let label = "\(attempt.kind.rawValue) \(attempt.journal.rawValue) \(orders.shown)"
        slice.count("victims")
        slice.count("acknowledged saves", story.done.count)
        switch outcome.ending {
        case .signalled(9):
            slice.count("kills")
            slice.count("kills of \(attempt.kind.rawValue)")
        case .exited(0) where story.isFinished: slice.count("victims that were done before")
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

    /// A third of the victims end at a call, a third in the middle of a write, the others any time.
    private static func orders(_ calls: Int, _ random: inout SplitMix64) -> IOShim.Orders {
        let call = 1 + random.below(max(1, calls))
        switch random.below(3) {
        case 0: return .kill(at: call, isTorn: false)
        case 1: return .kill(at: call, isTorn: true)
        default: return .killLater(after: call, microseconds: random.below(2_000))
        }
    }
}

extension IOShim.Orders {
    /// What a failure says of the orders.
    var shown: String {
        switch self {
        case .nothing: "undisturbed"
        case .kill(let call, let isTorn): "killed at call \(call)" + (isTorn ? ", torn" : "")
        case .killLater(let call, let time): "killed \(time) µs after call \(call)"
        case .fail(let call, let times, let error, let countsOpens):
            "\(times == .max ? "all" : "\(times)") \(countsOpens ? "opens" : "calls") from"
                + " \(call) fail with \(error)"
        case .log: "logged"
        }
    }
}
