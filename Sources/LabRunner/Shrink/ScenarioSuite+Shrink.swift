import CoreDataEngine
import CoreDataModel
import Foundation
import LabCheck
import LabResults
import LabScenario
import LabSchedule

/// A scenario that was made small, ready for an issue tracker.
package struct ShrunkScenario: Sendable {
    package let name: String
    /// The scenario file.
    package let yaml: String
    /// The transcript of its witness, and where the file expects it.
    package let golden: String
    package let goldenName: String
    /// What it is, in one paragraph.
    package let paragraph: String
    package let token: String
    package let sessions: Int
    package let steps: Int
    /// Schedules that were run on the way.
    package let executions: Int
    /// Cutting stopped at the time budget, so there may be more to cut.
    package let isUnfinished: Bool
}

extension ScenarioSuite {
    /// Makes the scenario of a token small while its finding stands.
    ///
    /// - Parameters:
    ///   - subject: a token, or a scenario file in which the finding is looked for.
    ///   - finding: the name of the finding; the token's first one, or the file's, when nil.
    ///   - searchPaths: where a token's scenario is looked for by its name.
    ///   - budget: the time after which the smallest so far is taken.
    package func shrink(
        _ subject: String, finding: String? = nil, in searchPaths: [String],
        budget: Duration = .seconds(60), progress: @escaping ProgressSink = { _ in }
    ) throws(InputErrors) -> ShrunkScenario {
        let deadline = ContinuousClock.now + budget
        let token =
            subject.hasPrefix("lab1:") ? subject : try witness(of: finding, in: subject)
        let places = subject.hasPrefix("lab1:") ? searchPaths : [subject]
        let (parsed, loaded, cell) = try locate(token, in: places)
        return try withFolder { (folder) throws(InputErrors) in
            let start = try start(parsed, loaded, cell, finding, folder)
            var shrinker = Shrinker(
                suite: self, file: loaded.scenario.file, folder: folder, start: start,
                deadline: deadline, progress: progress)
            shrinker.run()
            return try ShrunkFile(shrinker: shrinker).make()
        }
    }

    /// The token of a schedule that shows a finding.
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
                    ? "name a scenario that has one"
                    : "give --finding one of: \(known.joined(separator: ", "))")
        ])
    }

    /// The document with one cell and nothing to observe, and the token's schedule on it.
    private func start(
        _ token: ScheduleToken, _ loaded: LoadedScenario, _ cell: MatrixCell, _ finding: String?,
        _ folder: WorkingFolder
    ) throws(InputErrors) -> Shrinker.Candidate {
        let scenario = loaded.scenario
        let runner = try makeRunner(loaded, cell, folder)
        defer { runner.world.lab.store.close() }
        let replay = Replay(plan: runner.plan.schedulePlan)
        guard let replayed = try? replay.run(token.steps, in: runner.world),
            let detection = runner.world.findings.first(where: {
                finding == nil || $0.name == finding
            })
        else {
            throw InputErrors([
                InputError(
                    file: "token", problem: "its schedule has no finding \(finding ?? "")",
                    remedy: "name a token of a finding, as explore prints them")
            ])
        }
        var document = try document(of: scenario)
        for value in cell.values {
            document.setMapping(["matrix"])
            for scalar in document.scalars() where scalar.text == "$\(value.name)" {
                document.set(scalar.path, value.text, isPlain: true)
            }
        }
        // Parameters inside of steps stay: then the axis keeps its one value.
        if document.scalars().contains(where: { $0.text.contains("$") }) {
            for value in cell.values {
                document.setMapping(["matrix", value.name])
                document.setList(["matrix", value.name], [value.text])
            }
        } else {
            document.remove(["matrix"])
        }
        let entity = runner.world.lab.layout.entities.first?.name ?? ""
        document.setMapping(["observe"])
        document.set(["observe", "rows"], "count \(entity)", isPlain: true)
        document.setOutcomes([
            ("interesting", ["rows": "*"], nil, "Whatever is observed; the finding is what counts.")
        ])
        return .init(document: document, names: replayed.steps, detection: detection)
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

/// Writes the small scenario with its outcomes, its golden transcript and its paragraph.
struct ShrunkFile {
    let shrinker: Shrinker

    func make() throws(InputErrors) -> ShrunkScenario {
        var document = shrinker.best.document
        let detection = shrinker.best.detection
        let old = document.text(["name"]) ?? "scenario"
        document.set(["name"], "\(old)-small", isPlain: true)
        document.set(["about"], "No schedule has this finding: \(detection.name).")
        addStatuses(&document)
        document.setOutcomes([
            ("interesting", ["rows": "*"], nil, "Seen while the outcomes were collected.")
        ])
        let collected = try collect(document)
        document.setOutcomes(collected)
        document.setMapping(["pinned"])
        let names = shrinker.best.names.joined(separator: " ")
        document.set(["pinned", "witness"], names, isPlain: !names.contains("~"))
        let runner = try shrinker.makeRunner(document)
        defer { runner.world.lab.store.close() }
        let golden = try PinnedRuns(runner: runner).run().first
        let token = runner.token(shrinker.best.names)
        return ShrunkScenario(
            name: "\(old)-small", yaml: document.yaml, golden: golden?.text ?? "",
            goldenName: golden.map { URL(fileURLWithPath: $0.path).lastPathComponent } ?? "",
            paragraph: paragraph(detection, document, token), token: token,
            sessions: document.keys(["sessions"]).count, steps: document.allSteps.count,
            executions: shrinker.executions, isUnfinished: shrinker.isOutOfTime)
    }

    /// How each save ended is observed, too.
    private func addStatuses(_ document: inout ScenarioDocument) {
        for step in document.allSteps {
            guard let name = step.last, document.text(step)?.contains("save") ?? false else {
                continue
            }
            document.set(["observe", name], "status \(name)", isPlain: true)
        }
    }

    /// Every outcome of the small scenario: a defect where the finding stands beside it.
    private func collect(
        _ document: ScenarioDocument
    ) throws(InputErrors) -> [ScenarioDocument.Outcome] {
        let runner = try shrinker.makeRunner(document)
        defer { runner.world.lab.store.close() }
        let exploration = try runner.explore { _ in }
        let names = runner.plan.scenario.observations.map(\.name.value)
        return exploration.tallies.map { tally in
            let hasFinding = tally.findings.contains(shrinker.target.name)
            let values = zip(names, tally.outcome.values).map { ($0, $1.description) }
            return (
                hasFinding ? "defect" : "acceptable",
                Dictionary(values, uniquingKeysWith: { one, _ in one }),
                hasFinding ? shrinker.target.name : nil,
                hasFinding
                    ? "Schedules with this outcome have the finding."
                    : "No schedule with this outcome has the finding."
            )
        }
    }

    private func paragraph(
        _ detection: Detection, _ document: ScenarioDocument, _ token: String
    ) -> String {
        let steps = document.allSteps.map { path in
            "\(path[3]) on \(document.text(["sessions", path[1], "context"]) ?? "?"):"
                + " \(document.text(path) ?? "")"
        }
        let order = shrinker.best.names.joined(separator: ", ")
        let kind = detection.adya.map { "\(detection.name) (\($0))" } ?? detection.name
        return "\(kind.prefix(1).uppercased() + kind.dropFirst()): \(detection.prose)"
            + " It takes \(document.keys(["sessions"]).count) sessions with"
            + " \(steps.count) steps (\(steps.joined(separator: "; "))), run in the order \(order)."
            + " Replay it with: faultline replay '\(token)'.\n"
    }
}

extension ScenarioDocument {
    typealias Outcome = (
        grade: String, values: [String: String], finding: String?, because: String
    )

    /// Replaces the outcomes of the file.
    mutating func setOutcomes(_ outcomes: [Outcome]) {
        setList(["outcomes"], outcomes.map { _ in "" })
        for (index, outcome) in outcomes.enumerated() {
            let path = ["outcomes", String(index)]
            setMapping(path)
            set(path + ["grade"], outcome.grade, isPlain: true)
            setMapping(path + ["is"])
            for (name, value) in outcome.values.sorted(by: { $0.key < $1.key }) {
                let isPlain = Int(value) != nil || Double(value) != nil || value == "nil"
                set(path + ["is", name], value, isPlain: isPlain || value == "true")
            }
            if let finding = outcome.finding { set(path + ["finding"], finding, isPlain: true) }
            set(path + ["because"], outcome.because, isPlain: true)
        }
    }
}
