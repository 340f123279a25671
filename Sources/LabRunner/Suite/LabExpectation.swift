import LabResults
import LabScenario

/// Why a scenario does not hold, as a test shows it: the reasons, the findings, and a token for
/// each. Thrown out of a test, it fails the case in Swift Testing and in XCTest.
public struct LabFailure: Error, Sendable, CustomStringConvertible {
    /// The cells that did not pass.
    package let results: [ScenarioResult]

    /// The reasons, the findings in prose, and a command that replays each.
    public var description: String {
        results.map(Self.text).joined(separator: "\n")
    }

    private static func text(_ result: ScenarioResult) -> String {
        let cell = result.cellText.isEmpty ? "" : " [\(result.cellText)]"
        var lines = ["\(result.name)\(cell): \(result.verdict.rawValue)"]
        lines += result.reasons.map { "  \($0)" }
        let wrong = result.outcomes.filter { $0.grade == .unmatched || $0.grade == .forbidden }
        lines += wrong.compactMap(\.token).map { "  ./faultline replay '\($0)'" }
        for finding in result.findings {
            lines.append("  \(finding.name): \(finding.prose)")
            if let token = finding.token { lines.append("  ./faultline replay '\(token)'") }
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
    /// Runs a scenario that was written in Swift in every cell of its matrix.
    ///
    /// - Throws: ``LabFailure`` where a cell does not pass; `InputErrors` where the scenario cannot
    ///   run at all.
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

    private static func check(_ results: [ScenarioResult]) throws(LabFailure) {
        let failed = results.filter {
            ![.passed, .interesting, .skipped, .pending].contains($0.verdict)
        }
        if !failed.isEmpty { throw LabFailure(results: failed) }
    }
}
