import Glibc
import LabBench
import TortureCampaigns

/// Makes system calls of a process fail. The campaign verifies the result of each save. A save must
/// either fail with a suitable error and change nothing, or succeed and not be lost.
struct FaultCampaign: TorturePart {
    let name = "faults"
    let workshop: CrashWorkshop
    var plant: PlantedFault?
    /// Documents are left out. A document keeps unsaved changes for its next save, so a failed step
    /// affects the steps after it.
    var kinds = VictimKind.allCases.filter { $0 != .document }

    /// The `errno` values to inject. 0 stands for a partial write.
    private static let errors: [Int32] = [0, ENOSPC, EIO, EDQUOT, EACCES, EMFILE]
    /// The Cocoa error codes whose messages report missing permissions.
    private static let permissionCodes: Set<Int> = [257, 513]

    func run(
        _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
    ) throws -> TortureSlice {
        try ParallelAttempts().run(attempts, progress: progress) { number, slice in
            try one(number, CrashAttempt(number, seed, kinds), &slice)
        }
    }

    /// An injected error. If it is sticky, the later calls fail as well.
    private struct Injection {
        let error: Int32
        let isSticky: Bool
        let orders: IOShim.Orders

        /// `EMFILE` (too many open files) is injected only into calls that open a file.
        init(
            _ random: inout SplitMix64, calls: (Bool) throws -> Int
        ) throws {
            error = FaultCampaign.errors[random.below(FaultCampaign.errors.count)]
            let opens = error == EMFILE
            isSticky = error != 0 && random.below(3) == 0
            orders = .fail(
                at: 1 + random.below(max(1, try calls(opens))), times: isSticky ? .max : 1,
                error: error, countsOpens: opens)
        }
    }

    private func one(_ number: Int, _ attempt: CrashAttempt, _ slice: inout TortureSlice) throws {
        var random = attempt.random
        let injection = try Injection(&random) { opens in
            try workshop.calls(attempt.kind, attempt.journal, countsOpens: opens)
        }
        let folder = try workshop.makeFolder(name)
        defer { workshop.discard(folder) }
        let stores = try workshop.makeStores(attempt.kind, attempt.journal, in: folder)
        let request = attempt.request(in: stores, plant: plant)
        let outcome = try workshop.run(request, injection.orders, in: folder)
        let label = attempt.label(injection.orders)
        guard outcome.ending == .exited(0), let calls = outcome.calls else {
            return slice.fail(number, "\(label): \(outcome.shown)")
        }
        let story = outcome.story
        count(story, calls.failed, injection, &slice)
        for finding in Self.findings(story, injection) {
            slice.fail(number, "\(label): \(finding)")
        }
        try verify(number, label, injection, request, story, folder, &slice)
    }

    private func count(
        _ story: VictimStory, _ failed: Int, _ injection: Injection, _ slice: inout TortureSlice
    ) {
        slice.count("victims")
        slice.count("injected errors", failed)
        let what = injection.error == 0 ? "half writes" : Self.name(injection.error)
        if failed > 0 { slice.count("victims with \(what)") }
        slice.count("acknowledged saves", story.done.count)
        slice.count("saves that failed", story.failures.count)
    }

    private static func name(_ error: Int32) -> String {
        switch error {
        case ENOSPC: "ENOSPC"
        case EIO: "EIO"
        case EDQUOT: "EDQUOT"
        case EACCES: "EACCES"
        default: "EMFILE"
        }
    }

    private static func findings(_ story: VictimStory, _ injection: Injection) -> [String] {
        var findings: [String] = []
        if injection.error == 0, let failure = story.failures.first {
            findings.append(
                "a partial write was reported as an error: \(failure.code) \(failure.text)"
            )
        }
        if injection.error != EACCES {
            let odd = story.failures.first { permissionCodes.contains($0.code) }
            if let odd { findings.append("reported as a permission error: \(odd.text)") }
        }
        if !injection.isSticky, story.failures.count > 1 {
            let last = story.failures[story.failures.count - 1]
            findings.append(
                "one call failed, but \(story.failures.count) steps failed: the last with"
                    + " \(last.code) \(last.sqlite) \(last.text)")
        }
        if !injection.isSticky, !story.isFinished {
            findings.append("the process could not continue after one failed call")
        }
        return findings
    }

    /// Verifies that failed saves have no effect. If the error is sticky, one failed save may have
    /// an effect. For example, SQLite may find the complete save in its log when it opens the store
    /// again. Or a new file was renamed, and then its folder could not be synced.
    private func verify(
        _ number: Int, _ label: String, _ injection: Injection, _ request: VictimRequest,
        _ story: VictimStory, _ folder: String, _ slice: inout TortureSlice
    ) throws {
        let expected = VerifiedCase(
            folder: request.folder, done: story.done, failed: injection.isSticky ? story.failed : []
        )
        for verdict in try workshop.verify(request, [expected], in: folder) {
            switch verdict {
            case .wrong(let finding): slice.fail(number, "\(label): \(finding)")
            case .fine(let steps) where steps > story.done.count:
                slice.count("failed saves that the store has nevertheless, after the disk failed")
            case .fine: break
            }
        }
    }
}
