import Glibc
import Testing
import TortureCampaigns

@testable import CrashAttacks

/// Tests that each campaign finds the fault that is planted into its victims, and nothing in
/// victims without a fault.
@Suite(.enabled(if: CrashFixture.isBuilt, "the tool is not built")) struct CrashOracleTests {
    private let workshop = CrashFixture.workshop

    @Test(arguments: [PlantedFault.acknowledgesEarly, .forgetsSaves, .splitsSaves])
    func `kills find saves that are lost, forgotten or split`(plant: PlantedFault) throws {
        let part = KillCampaign(workshop: workshop, plant: plant, kinds: [.saves])
        let findings = try CrashFixture.findings(part, 3)
        #expect(findings.contains { $0.contains("after the steps") }, "\(findings)")
    }

    @Test func `kills find saves of a document that are acknowledged before they are done`() throws
    {
        let part = KillCampaign(
            workshop: workshop, plant: .acknowledgesEarly, kinds: [.document])
        #expect(try !CrashFixture.findings(part, 4).isEmpty)
    }

    @Test(arguments: [VictimKind.batches, .inPlaceMigration, .document])
    func `kills find nothing in sound victims`(kind: VictimKind) throws {
        let part = KillCampaign(workshop: workshop, kinds: [kind])
        let slice = try part.run(0..<(kind == .document ? 8 : 2), seed: 1, progress: { _ in })
        #expect(slice.failures.isEmpty, "\(slice.failures)")
        #expect(slice.counts["kills"] ?? 0 > 0)
    }

    @Test func `failing disks find errors that are swallowed and errors that end the process`()
        throws
    {
        let swallowed = FaultCampaign(
            workshop: workshop, plant: .swallowsErrors, kinds: [.saves])
        #expect(try CrashFixture.findings(swallowed, 4).contains { $0.contains("after the steps") })
        let trapped = FaultCampaign(workshop: workshop, plant: .traps, kinds: [.saves])
        #expect(try CrashFixture.findings(trapped, 4).contains { $0.contains("signal") })
    }

    @Test func `failing disks find nothing in sound victims`() throws {
        let part = FaultCampaign(workshop: workshop, kinds: [.saves])
        let slice = try part.run(0..<3, seed: 1, progress: { _ in })
        #expect(slice.failures.isEmpty, "\(slice.failures)")
        #expect(slice.counts["injected errors"] ?? 0 > 0)
    }

    /// The last system call of a save syncs the folder. At that time the new file already exists.
    @Test(arguments: [VictimKind.xml, .binary])
    func `a save whose folder cannot be synced is complete`(kind: VictimKind) throws {
        let calls = try workshop.calls(kind, .walNormal, countsOpens: false)
        var untold = 0
        for call in (calls - 7)...calls {
            let outcome = try CrashFixture.withVictim(kind) { request, folder in
                let orders = IOShim.Orders.fail(at: call, times: 1, error: EIO, countsOpens: false)
                let outcome = try workshop.run(request, orders, in: folder)
                let expected = VerifiedCase(folder: request.folder, done: outcome.story.done)
                let verdicts = try workshop.verify(request, [expected], in: folder)
                #expect(verdicts.map(\.finding) == [nil])
                return outcome
            }
            #expect(outcome.calls?.failed == 1 && outcome.story.isFinished)
            guard outcome.complaint.contains("could not be synced") else { continue }
            #expect(outcome.story.failures.isEmpty, "\(outcome.complaint)")
            untold += 1
        }
        #expect(untold > 0)
    }

    @Test func `power cuts find a store that syncs nothing`() throws {
        let part = PowerCutCampaign(workshop: workshop, plant: .syncsNothing, kinds: [.saves])
        #expect(try !CrashFixture.findings(part, 1).isEmpty)
    }

    @Test func `power cuts find nothing in stores that sync`() throws {
        let part = PowerCutCampaign(workshop: workshop, kinds: [.saves])
        let slice = try part.run(0..<1, seed: 1, progress: { _ in })
        #expect(slice.failures.isEmpty, "\(slice.failures)")
        #expect(slice.counts["power-cut states"] == PowerCutCampaign.statesOfLog)
    }

    @Test func `processes that overwrite each other's counters lose counts`() throws {
        let part = CrowdCampaign(workshop: workshop, plant: .overwritesCounters, tasks: [.write])
        let findings = try CrashFixture.findings(part, 1)
        #expect(findings.contains { $0.contains("expected") }, "\(findings)")
    }

    @Test func `an attempt that is run again has the same result`() throws {
        let attempts = (0..<50).map { CrashAttempt($0, 7, VictimKind.allCases) }
        for (number, attempt) in attempts.enumerated() {
            let again = CrashAttempt(number, 7, VictimKind.allCases)
            #expect(again.kind == attempt.kind)
            #expect(again.journal == attempt.journal)
            #expect(again.seed == attempt.seed)
        }
        #expect(Set(attempts.map(\.seed)).count == attempts.count)
        #expect(Set(attempts.map(\.kind)) == Set(VictimKind.allCases))
    }
}
