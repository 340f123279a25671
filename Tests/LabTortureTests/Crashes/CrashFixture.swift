import Foundation
import Glibc
import LabResults
import TestSupport

@testable import CrashAttacks
@testable import TortureCampaigns

/// Runs victims with the built tool. Victims are the processes that crash tests kill.
enum CrashFixture {
    static let tool = BuiltTool.torture?.path

    static var isBuilt: Bool { tool != nil }

    /// All tests share one workshop, so that the shim is compiled only once.
    static let workshop: CrashWorkshop = {
        atexit { CrashFixture.workshop.removeAll() }
        return CrashWorkshop(tool: tool ?? "")
    }()

    /// Creates the initial files of a victim in a folder that exists while the body runs.
    static func withVictim<Result>(
        _ kind: VictimKind, _ journal: JournalSetting = .walNormal,
        _ body: (_ request: VictimRequest, _ folder: String) throws -> Result
    ) throws -> Result {
        let folder = try workshop.makeFolder("test")
        defer { workshop.discard(folder) }
        let stores = try workshop.makeStores(kind, journal, in: folder)
        let request = VictimRequest(
            work: .write, kind: kind, journal: journal, folder: stores, seed: 3)
        return try body(request, folder)
    }

    static func operations(
        _ kind: VictimKind, _ journal: JournalSetting = .walNormal
    ) throws -> (story: VictimStory, operations: [FileOperation], stores: String) {
        try withVictim(kind, journal) { request, folder in
            let outcome = try workshop.run(request, .log(folder + "/log"), in: folder)
            return (outcome.story, try OperationLog.read(folder + "/log"), request.folder)
        }
    }

    /// Runs attempts with seed 1.
    static func findings(_ part: any TorturePart, _ attempts: Int) throws -> [String] {
        try part.run(0..<attempts, seed: 1, progress: { _ in }).failures.map(\.what)
    }
}
