import CoreData
import Foundation
import LabResults
import LabRunner
import LabScenario
import Testing

/// Runs scenarios of the catalogue as ordinary code. The findings must equal those of the files.
@Suite struct CatalogueAsCodeTests {
    private static let all = CatalogueCase.conflicts + CatalogueCase.races

    /// Reads a scenario, without its order constraints, because code does not have them.
    private static func scenario(_ file: String) throws -> Scenario {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        let path = "\(root.dropFirst())/Scenarios/\(file).yaml"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        var scenario = try ScenarioReader().read(Array(bytes), file: path)
        scenario.after = []
        return scenario
    }

    /// Whether a policy of a file's matrix is explored as code. Each file explores two of its
    /// policies, which differ from those of the previous file. With `FAULTLINE_THOROUGH` it
    /// explores all.
    private static func isExplored(
        _ policy: String?, of example: CatalogueCase, in scenario: Scenario
    ) -> Bool {
        let values = scenario.matrix.first { $0.name.value == "policy" }?.values.map(\.value) ?? []
        guard let policy, values.count > 2,
            ProcessInfo.processInfo.environment["FAULTLINE_THOROUGH"] == nil,
            let position = values.firstIndex(of: .text(policy)),
            let number = all.firstIndex(where: { $0.file == example.file })
        else { return true }
        return [2 * number, 2 * number + 1].contains { $0 % values.count == position }
    }

    private struct Seen: Equatable, CustomStringConvertible {
        var outcomes: [String: Int]
        var findings: Set<String>

        var description: String {
            (outcomes.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
                + [findings.sorted().joined(separator: ", ")]).joined(separator: "\n")
        }
    }

    private static func inFile(_ result: ScenarioResult) -> Seen {
        let counted = result.outcomes.filter { $0.count > 0 }.map { outcome in
            (
                outcome.observed.map { "\($0.name) = \($0.value)" }.joined(separator: ", "),
                outcome.count
            )
        }
        return Seen(
            outcomes: Dictionary(counted, uniquingKeysWith: +),
            findings: Set(result.findings.map(\.name)))
    }

    private static func inCode(_ example: CatalogueCase, _ policy: NSMergePolicy) throws -> Seen {
        var options = Lab.Options.unhurried(
            strategy: .exhaustive, limit: 20_000, grain: .blocks)
        options.fails = .nothing
        let report = try Lab.explore("catalogue", options) { lab in
            try example.code(try Play(lab, example.model, policy))
        }
        #expect(report.isComplete)
        return Seen(outcomes: report.outcomes, findings: Set(report.findings.keys))
    }

    /// Scenarios in which one step of the file takes several slices in code.
    private static let nested = [
        "detectors/dirty-read", "detectors/intermediate-read",
        "detectors/lost-update-below-a-parent",
    ]

    @Test(arguments: all)
    func `code has the outcomes, their counts and the findings of its file`(
        _ example: CatalogueCase
    ) throws {
        var options = SuiteOptions()
        options.limit = 20_000
        let isKnown = options.setStrategy("exhaustive")
        #expect(isKnown)
        let scenario = try Self.scenario(example.file)
        for result in try ScenarioSuite(options).run(scenario) {
            if result.cell.contains(where: { $0.axis == "quirk" && $0.value != "none" }) {
                continue
            }
            let policy = result.cell.first { $0.axis == "policy" }?.value
            guard Self.isExplored(policy, of: example, in: scenario) else { continue }
            let code = try Self.inCode(example, Play.policy(policy))
            var file = Self.inFile(result)
            if Self.nested.contains(example.file) {
                // A child context waits for the queue of its parent, which adds a switch between
                // threads.
                #expect(code.outcomes.keys.sorted() == file.outcomes.keys.sorted())
                file.outcomes = code.outcomes
            }
            #expect(code == file, "\(example.file), \(result.cellText)")
        }
    }
}
