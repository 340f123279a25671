import ContextHistory
import CoreDataEngine
import CoreDataModel
import Foundation
import LabCheck
import LabFiles
import LabResults
import LabScenario
import LabSchedule

/// A shrunk scenario for an issue tracker or for a test.
package struct ShrunkScenario: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A file that passes while the bug occurs: the bug is graded `defect`.
        case reproduction
        /// A file that fails while the bug occurs: the bug is graded `forbidden`.
        case test
    }

    package let name: String
    package let yaml: String
    /// The transcript of the schedule that shows the bug, and its path next to the file. Nil for a
    /// test, whose transcript changes when the bug is gone.
    package let golden: (text: String, name: String)?
    package let paragraph: String
    package let token: String
    package let sessions: Int
    package let steps: Int
    /// The number of schedules that were run while shrinking.
    package let executions: Int
    /// Whether the time budget ended the shrinking, so that more cuts may be possible.
    package let isUnfinished: Bool
}

extension ScenarioSuite {
    /// Shrinks the scenario of a token while it has the same finding or outcome.
    ///
    /// - Parameters:
    ///   - subject: a token, or a scenario file in which to find the target.
    ///   - finding: the name of the finding; nil for the first finding of the token or the file.
    ///   - toOutcome: whether to keep the outcome of the token's schedule instead of a finding.
    ///   - kind: the purpose of the small file.
    ///   - searchPaths: the paths in which to find a token's scenario by its name.
    ///   - budget: the time after which the smallest scenario so far is returned.
    package func shrink(
        _ subject: String, finding: String? = nil, toOutcome: Bool = false,
        as kind: ShrunkScenario.Kind = .reproduction, in searchPaths: [String],
        budget: Duration = .seconds(60), progress: @escaping ProgressSink = { _ in }
    ) throws(InputErrors) -> ShrunkScenario {
        let deadline = ContinuousClock.now + budget
        let isToken = subject.hasPrefix("lab1:")
        let token: String
        if isToken {
            token = subject
        } else {
            token =
                try toOutcome
                ? worstOutcome(in: subject) : witness(of: finding, in: subject)
        }
        let (parsed, loaded, cell) = try locate(token, in: isToken ? searchPaths : [subject])
        return try withFolder { (folder) throws(InputErrors) in
            let runner = try makeRunner(loaded, cell, folder)
            defer { runner.world.lab.store.close() }
            let (names, target, detection) = try seen(parsed, finding, toOutcome, runner)
            let document = try startDocument(loaded.scenario, cell, target)
            var shrinker = Shrinker(
                suite: self, file: loaded.scenario.file, folder: folder,
                start: .init(document: document, names: names, detection: detection),
                target: target, deadline: deadline, progress: progress)
            shrinker.run()
            return try ShrunkFile(shrinker: shrinker, kind: kind).make()
        }
    }

    private func witness(
        of finding: String?, in path: String
    ) throws(InputErrors) -> String {
        let results = try explore(path).scenarios
        for result in results where result.findings.contains(where: { $0.token != nil }) {
            let found = result.findings.first { finding == nil || $0.name == finding }
            if let token = found?.token { return token }
        }
        let known = Set(results.flatMap(\.findings).map(\.name)).sorted()
        throw InputErrors([
            InputError(
                file: path,
                problem: finding.map { "no schedule has the finding '\($0)'" }
                    ?? "no schedule has a finding",
                remedy: known.isEmpty
                    ? "name a scenario with a finding, or give --to-outcome"
                    : "give --finding one of: \(known.joined(separator: ", "))")
        ])
    }

    private func worstOutcome(in path: String) throws(InputErrors) -> String {
        let outcomes = try explore(path).scenarios.flatMap(\.outcomes)
        for grade in [Grade.unmatched, .forbidden, .defect, .interesting] {
            let found = outcomes.first { $0.grade == grade && $0.token != nil }
            if let token = found?.token { return token }
        }
        throw InputErrors([
            InputError(
                file: path, problem: "every outcome is acceptable",
                remedy: "give the token of a schedule with the outcome, as explore prints it")
        ])
    }

    private func seen(
        _ token: ScheduleToken, _ finding: String?, _ toOutcome: Bool, _ runner: CellRunner
    ) throws(InputErrors) -> (names: [String], target: Shrinker.Target, detection: Detection?) {
        let world = runner.world
        let replayed = try? Replay(plan: runner.plan.schedulePlan).run(token.steps, in: world)
        let detection =
            toOutcome ? nil : world.findings.first { finding == nil || $0.name == finding }
        guard let replayed, toOutcome || detection != nil else {
            throw InputErrors([
                InputError(
                    file: "token",
                    problem: "its schedule has no finding\(finding.map { " '\($0)'" } ?? "")",
                    remedy: "name a token of a finding, as explore prints them, or give"
                        + " --to-outcome")
            ])
        }
        let distinguishing = DistinguishingObservations(
            of: world.outcome, finding: detection?.name, runner: runner)
        let names = runner.plan.scenario.observations.map(\.name.value)
        let kept = (try? distinguishing.smallestSet()) ?? Array(names.indices)
        let observed = kept.map { (name: names[$0], value: distinguishing.outcome.values[$0]) }
        let target = Shrinker.Target(
            finding: detection.map { ($0.name, $0.step) }, observed: observed)
        return (replayed.steps, target, detection)
    }

    private func startDocument(
        _ scenario: Scenario, _ cell: MatrixCell, _ target: Shrinker.Target
    ) throws(InputErrors) -> ScenarioDocument {
        var document = try document(of: scenario)
        for value in cell.values {
            document.setMapping(["matrix"])
            for scalar in document.scalars() where scalar.text == "$\(value.name)" {
                document.set(scalar.path, value.text, isPlain: true)
            }
        }
        // If the text uses parameters, they stay, and each axis of the matrix keeps one value.
        if !cell.values.isEmpty, document.scalars().contains(where: { $0.text.contains("$") }) {
            for value in cell.values {
                document.setMapping(["matrix", value.name])
                document.setList(["matrix", value.name], [value.text])
            }
        } else {
            document.remove(["matrix"])
        }
        let shown = target.observed.map(\.name)
        for name in document.keys(["observe"]) where !shown.contains(name) {
            document.remove(["observe", name])
        }
        // The headline may name a removed observation. Without a headline, the first observation is
        // used.
        document.remove(["headline"])
        document.setOutcomes([.anything(shown)])
        return document
    }

    private func document(of scenario: Scenario) throws(InputErrors) -> ScenarioDocument {
        let bytes = try ScenarioLoader.bytes(ofScenario: scenario.file)
        let loader = ScenarioLoader(options)
        do throws(ScenarioProblems) {
            return try ScenarioDocument(
                bytes, file: scenario.file, reader: loader.reader, cure: scenario.cure)
        } catch {
            throw InputErrors(error)
        }
    }
}
