import LabResults
import LabRunner
import LabScenario
import Testing

/// Tests that each detector has a finding in one scenario of the catalogue, and none in a similar
/// one.
@Suite struct DetectorCoverageTests {
    /// The results of each scenario: its cells and its cures, which are similar programs.
    private func families() throws -> [[ScenarioResult]] {
        let ran = try CatalogueTests.results.get().scenarios.filter { $0.verdict == .passed }
        return Dictionary(grouping: ran) { result in
            String(result.name.split(separator: "+")[0])
        }.values.map { $0 }
    }

    @Test(arguments: FindingNames.all)
    func `a detector fires in a scenario and is silent in its twin`(name: String) throws {
        let firing = try families().filter { family in
            family.contains { $0.findings.contains { $0.name == name } }
        }
        #expect(!firing.isEmpty, "no scenario shows '\(name)'")
        let witnesses = firing.flatMap { $0 }.flatMap(\.findings).filter { $0.name == name }
        #expect(witnesses.allSatisfy { !$0.prose.isEmpty && !$0.evidence.isEmpty })
        #expect(witnesses.contains { $0.token != nil })
        let hasTwin = firing.contains { family in
            family.contains { cell in !cell.findings.contains { $0.name == name } }
        }
        #expect(hasTwin, "each cell of the scenarios that show '\(name)' shows it")
    }

    @Test func `no finding of the catalogue has a name that files cannot use`() throws {
        let names = Set(try families().flatMap { $0 }.flatMap(\.findings).map(\.name))
        #expect(names.isSubset(of: FindingNames.all))
        #expect(Invariant.allCases.flatMap(\.findings).allSatisfy(FindingNames.all.contains))
    }
}
