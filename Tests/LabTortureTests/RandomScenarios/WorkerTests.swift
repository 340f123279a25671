import Foundation
import LabResults
import TestSupport
import Testing
import TortureCampaigns

@testable import LabTorture

/// A part reports the attempt during which its worker crashed or hung.
@Suite struct ScenarioWorkerTests {
    /// The executable next to the running tests; nil if it has not been built.
    static let tool = BuiltTool.torture?.path

    /// The simulated worker crashes at attempt 7 and hangs at attempt 11. Every other attempt
    /// counts one.
    @Sendable private static func play(
        _ job: ScenarioJob, _ hear: (WorkerLine) -> Void
    ) -> WorkerEnd {
        if job.draft != nil { return .done }
        for attempt in job.first..<job.last {
            hear(.begins(attempt))
            if attempt == 7 { return .crashed(how: "signal 11", said: "") }
            if attempt == 11 { return .hung }
            hear(.ends(AttemptReport(attempt: attempt, counts: ["played": 1])))
        }
        return .done
    }

    @Test func `a crash and a hang are reported with their attempts, and the others run`() throws {
        let part = RandomScenariosPart(workers: 2, launch: Self.play)
        var done = 0
        let slice = try part.run(0..<20, seed: 1) { done = $0 }
        #expect(slice.counts == ["played": 18])
        #expect(slice.failures.map(\.attempt) == [7, 11])
        #expect(slice.failures[0].what == "no scenario ends the process: signal 11")
        #expect(slice.failures[1].what.hasPrefix("every scenario ends: "))
        #expect(slice.failures[0].input?.contains("sessions:") == true)
        #expect(done == 20)
    }

    @Test func `slices have the result of the whole`() throws {
        let part = RandomScenariosPart(workers: 1, launch: Self.play)
        let whole = try part.run(0..<20, seed: 1) { _ in }
        let first = try part.run(0..<9, seed: 1) { _ in }
        let second = try part.run(9..<20, seed: 1) { _ in }
        #expect(first.failures + second.failures == whole.failures)
    }

    /// The oracles that complain about a draft in a worker process.
    private func complaints(
        _ draft: ScenarioDraft, mutant: String? = nil
    ) throws -> Set<Oracle> {
        let folder = NSTemporaryDirectory() + "faultline-worker-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let job = ScenarioJob(
            seed: 1, first: 0, last: 1, folder: folder, draft: draft, mutant: mutant)
        var found: Set<Oracle> = []
        let end = try WorkerProcess(executable: Self.tool).run(job, folder: folder) {
            (line: WorkerLine) in
            guard case .ends(let report) = line else { return }
            found = Set(report.failures.map(\.complaint.oracle))
        }
        #expect(end == .done)
        return found
    }

    @Test(.enabled(if: tool != nil, "the faultline-torture executable has not been built"))
    func `attempts run in a process of their own`() throws {
        let tool = try #require(Self.tool)
        let part = RandomScenariosPart(workers: 2) { job, hear in
            try WorkerProcess(executable: tool).run(job, folder: job.folder, hear: hear)
        }
        let slice = try part.run(20..<50, seed: 5) { _ in }
        #expect(slice.failures.map(\.what) == [])
        #expect(slice.counts["scenarios", default: 0] > 15)
        #expect(slice.counts["schedules", default: 0] > 50)
    }

    #if DEBUG
        /// A planted fault of the engine, a draft that shows it, and the oracle that must report
        /// it.
        static let planted: [(mutant: String, draft: ScenarioDraft, oracle: Oracle)] = [
            (
                "skipInverse",
                Drafts.lone(["relate p1.item to o1; read o1.parts -> x; save"], setup: apart),
                .serial
            ),
            (
                "cascadeNullifies",
                Drafts.lone(
                    ["delete o1", "save"],
                    setup: ["insert Item as o1", "insert Part as p1 with item = o1"]), .serial
            ),
            (
                "rollbackKeepsObjects", Drafts.lone(["set o1.n = 7", "rollback", "save"]), .serial
            ),
            (
                "deletesDoNotPropagate",
                Drafts.lone(
                    ["delete o1", "save"],
                    setup: ["insert Item as o1", "insert Part as p1 with item = o1"]), .inverses
            ),
        ]

        private static let apart = ["insert Item as o1", "insert Part as p1"]

        @Test(.enabled(if: tool != nil, "the faultline-torture executable has not been built"))
        func `an oracle notices a fault of the engine and is silent without it`() throws {
            for (mutant, draft, oracle) in Self.planted {
                #expect(try complaints(draft) == [], "\(mutant)")
                #expect(try complaints(draft, mutant: mutant).contains(oracle), "\(mutant)")
            }
        }
    #endif
}
