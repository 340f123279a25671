import Foundation
import LabResults
import LabRunner
import Testing

/// Tests that a transcript shows from which step on a loss is certain, and names the cycle.
@Suite struct CertaintyTests {
    private func result(_ file: String, certainty: Bool) throws -> ScenarioResult {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/")
        var options = SuiteOptions()
        options.certainty = certainty
        options.timelines = .telling
        let report = try ScenarioSuite(options).explore(
            "\(root.dropFirst())/Scenarios/\(file).yaml", progress: { _ in })
        return try #require(report.scenarios.first { !$0.findings.isEmpty })
    }

    @Test(arguments: [
        "detectors/lost-update-of-two-steps", "detectors/lost-update-below-a-merge",
        "locking/mb-16-write-skew", "detectors/read-skew", "detectors/phantom",
    ])
    func `each share of losing continuations is exact, the last is 100 %`(_ file: String) throws {
        let result = try result(file, certainty: true)
        let finding = try #require(result.findings.first)
        let transcript = try #require(
            result.transcripts.first { $0.id == finding.transcript })
        #expect(transcript.text.contains("the share of the continuations that lose"))
        let losses = try #require(transcript.timeline).steps.compactMap(\.loss)
        #expect(losses.last?.share == 1)
        #expect(losses.allSatisfy { $0.low == nil })
        let cycle = try #require(result.findings.compactMap(\.cycle).first)
        #expect(transcript.text.contains("cycle    \(cycle.title)"))
        #expect(cycle.links.count >= 2)
    }

    @Test func `without the option there are no shares`() throws {
        let result = try result("detectors/read-skew", certainty: false)
        let steps = result.transcripts.flatMap { $0.timeline?.steps ?? [] }
        #expect(steps.allSatisfy { $0.loss == nil })
    }
}
