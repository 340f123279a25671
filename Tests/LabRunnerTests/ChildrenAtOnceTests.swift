import Foundation
import LabRunner
import LabScenario
import LabSchedule
import Testing

/// Two children that save into one parent at the same moment.
@Suite struct ChildrenAtOnceTests {
    private let text = """
        name: written
        about: Both children's additions count.
        model: {entities: {Item: {attributes: {n: integer64}}}}
        setup: ["insert Item as a with n = 10"]
        mode: baton
        contexts:
          M: {queue: main}
          C: {parent: M}
          D: {parent: M}
        sessions:
          one: {context: C, steps: {c1: 'set a.n = a.n + 5; save'}}
          two: {context: D, steps: {d1: 'set a.n = a.n + 7; save'}}
          main: {context: M, steps: {m1: read a.n -> seen}}
        after: [m1 requires c1, m1 requires d1]
        observe: {seen: value seen}
        outcomes:
          - {grade: acceptable, is: {seen: "*"}, because: anything may be}
        """

    @Test func `a child whose save overwrites the other's value loses an update`() throws {
        let scenario = try ScenarioReader().read([UInt8](text.utf8), file: "written.yaml")
        guard case .inline(let shape) = scenario.model else { return #expect(Bool(false)) }
        let folder = NSTemporaryDirectory() + "children-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let trial = try ScenarioTrial(scenario, model: TrialModel(shape), folder: folder)
        defer { trial.close() }
        var seen: [String: Int] = [:]
        _ = try trial.explore(.exhaustive, limit: 3_000) { end, _ in
            let isLost = end.findings.contains { $0.hasPrefix("lost update") }
            let isWhole = end.outcome == ["22"]
            #expect(isLost != isWhole, "\(end.outcome) \(trial.names(of: end.path))")
            seen[end.outcome.joined(), default: 0] += 1
            return true
        }
        #expect(Set(seen.keys) == ["15", "17", "22"], "\(seen)")
    }
}
