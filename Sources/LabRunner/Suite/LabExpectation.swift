import LabResults
import LabScenario

/// A failed scenario as the error of a test, with the reasons, the findings, and a token for each.
/// A test that throws it fails in Swift Testing and in XCTest.
public struct LabFailure: Error, Sendable, CustomStringConvertible {
    package let results: [ScenarioResult]

    /// A description of the reasons and the findings. Each finding has a line that replays it: a
    /// command for a scenario file, or a call of ``Lab/replay(_:_:options:)`` for a scenario in
    /// Swift.
    public var description: String {
        results.map(Self.text).joined(separator: "\n")
    }

    private static func text(_ result: ScenarioResult) -> String {
        let cell = result.cellText.isEmpty ? "" : " [\(result.cellText)]"
        var lines = ["\(result.name)\(cell): \(result.verdict.rawValue)"]
        lines += result.reasons.map { "  \($0)" }
        let wrong = result.outcomes.filter { $0.grade == .unmatched || $0.grade == .forbidden }
        lines += wrong.compactMap(\.token).map { "  \(result.replayLine($0))" }
        for finding in result.findings {
            lines.append("  \(finding.name): \(finding.prose)")
            if let token = finding.token { lines.append("  \(result.replayLine(token))") }
        }
        return lines.joined(separator: "\n")
    }
}

/// Scenarios inside tests.
///
///     @Test func `two tills count both`() throws {
///         try Lab.expect(scenario)
///     }
public enum Lab {
    /// Runs a scenario that is written in Swift, in every cell of its matrix.
    ///
    /// - Throws: ``LabFailure`` if a cell does not pass; `InputErrors` if the scenario cannot run
    ///   at all.
    public static func expect(
        _ scenario: Scenario, options: SuiteOptions = SuiteOptions()
    ) throws {
        try check(try ScenarioSuite(options).run(scenario))
    }

    /// Runs a scenario file with its cures.
    public static func expect(
        file path: String, options: SuiteOptions = SuiteOptions()
    ) throws {
        try check(try ScenarioSuite(options).run([path]).scenarios)
    }

    /// Runs the schedule of a token twice, on a scenario that is written in Swift.
    ///
    /// - Parameters:
    ///   - token: a token from a ``LabFailure``.
    ///   - scenario: the scenario of the token.
    /// - Throws: ``LabFailure`` if the two runs differ; `InputErrors` if the token names another
    ///   scenario, or a cell that `scenario` lacks.
    public static func replay(
        _ token: String, _ scenario: Scenario, options: SuiteOptions = SuiteOptions()
    ) throws -> LabReplay {
        let replay = try ScenarioSuite(options).replay(token, scenario)
        if replay.first != replay.second { throw LabFailure(results: [replay.result]) }
        return LabReplay(transcript: replay.first, adaptations: replay.adaptations)
    }

    private static func check(_ results: [ScenarioResult]) throws(LabFailure) {
        let failed = results.filter {
            ![.passed, .interesting, .skipped, .pending].contains($0.verdict)
        }
        if !failed.isEmpty { throw LabFailure(results: failed) }
    }
}

/// The result of replaying one schedule.
public struct LabReplay: Sendable, CustomStringConvertible {
    /// The actions of each step, the observations and the findings.
    public let transcript: String
    /// The adaptations of the schedule to changes of the scenario since the token was printed;
    /// empty if the schedule ran as written.
    public let adaptations: [String]

    /// The transcript, followed by the adaptations.
    public var description: String { transcript + adaptations.map { "\($0)\n" }.joined() }
}
