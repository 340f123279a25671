import Foundation
import LabBench
import TortureCampaigns

/// Logs the file operations of victims. From a log, the campaign draws contents of the disk that a
/// power cut could leave, and verifies them.
struct PowerCutCampaign: TorturePart {
    static let statesOfLog = 12

    let name = "power-cuts"
    let workshop: CrashWorkshop
    var plant: PlantedFault?
    var kinds = VictimKind.allCases.filter {
        $0.withoutExternalNotes != .copy && $0 != .document
    }

    func run(
        _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
    ) throws -> TortureSlice {
        try ParallelAttempts().run(attempts, progress: progress) { number, slice in
            try one(number, CrashAttempt(number, seed, kinds, journals: Self.journals), &slice)
        }
    }

    /// Leaves out a rollback journal with `synchronous=normal`, for which SQLite guarantees nothing
    /// after a power cut.
    private static func journals(_ kind: VictimKind) -> [JournalSetting] {
        kind.isSQLite ? [.walNormal, .walFull, .deleteFull, .deleteExtra] : [.walNormal]
    }

    /// The number of the latest acknowledged steps that a power cut may undo.
    ///
    /// In rollback mode, a commit removes the journal. With `synchronous=extra`, SQLite then syncs
    /// the folder immediately. With `full`, the next commit syncs it. An atomic store is a new file
    /// at each save. The file's name reaches the disk when the file system writes the folder.
    private static func missable(_ attempt: CrashAttempt) -> Int {
        guard attempt.kind.isSQLite else { return .max }
        switch attempt.journal {
        case .walFull, .deleteExtra: return 0
        case .deleteFull: return 1
        case .walNormal, .deleteNormal: return .max
        }
    }

    private struct CutState {
        let expected: VerifiedCase
        let label: String
    }

    private func one(_ number: Int, _ attempt: CrashAttempt, _ slice: inout TortureSlice) throws {
        var random = attempt.random
        let folder = try workshop.makeFolder(name)
        defer { workshop.discard(folder) }
        let stores = try workshop.makeStores(attempt.kind, attempt.journal, in: folder)
        let disk = try DiskModel(folder: stores)
        let request = attempt.request(in: stores, plant: plant)
        let log = folder + "/operations"
        let outcome = try workshop.run(request, .log(log), in: folder)
        let label = attempt.label(.log(log))
        guard outcome.ending == .exited(0), outcome.story.isFinished else {
            return slice.fail(number, "\(label): \(outcome.shown)")
        }
        let operations = try OperationLog.read(log)
        slice.count("logs")
        slice.count("logged operations", operations.count)
        let states = try (0..<Self.statesOfLog).map { state in
            try cut(
                disk, operations, missable: Self.missable(attempt), into: folder + "/cut-\(state)",
                &random)
        }
        slice.count("power-cut states", states.count)
        slice.count("states of \(attempt.kind.rawValue)", states.count)
        let verdicts = try workshop.verify(request, states.map(\.expected), in: folder)
        for (state, verdict) in zip(states, verdicts) {
            switch verdict {
            case .wrong(let finding): slice.fail(number, "\(label) \(state.label): \(finding)")
            case .fine(let steps):
                let lost = max(0, state.expected.done.count - steps)
                slice.count("acknowledged saves", state.expected.done.count)
                slice.count("acknowledged saves that were lost, as the setting permits", lost)
            }
        }
    }

    private func cut(
        _ disk: DiskModel, _ operations: [FileOperation], missable: Int, into folder: String,
        _ random: inout SplitMix64
    ) throws -> CutState {
        let place = random.below(operations.count + 1)
        var disk = disk
        var said = ""
        for operation in operations.prefix(place) {
            disk.apply(operation)
            if case .say(let text) = operation { said += text }
        }
        let survivals = DiskModel.Survival.allCases
        let names = survivals[random.below(survivals.count)]
        let data = survivals[random.below(survivals.count)]
        let sector = random.below(2) == 0 ? 512 : 4_096
        let files = disk.cut(names: names, data: data, sector: sector, &random)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, content) in files {
            let url = URL(fileURLWithPath: folder + "/" + name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content).write(to: url)
        }
        let story = VictimStory(said)
        return CutState(
            expected: VerifiedCase(
                folder: folder, done: story.done, open: story.open, missable: missable),
            label:
                "cut after operation \(place) of \(operations.count), names: \(names), data:"
                + " \(data), sectors of \(sector) bytes")
    }
}
