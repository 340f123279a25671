import ContextHistory
import CoreDataStore
import LabCheck
import LabResults
import LabScenario
import LabSchedule

/// Builds the results of one cell of a scenario's matrix, with a transcript for each outcome and
/// each finding.
struct CellReport {
    let runner: CellRunner
    let exploration: CellRunner.Exploration
    let mode: ScenarioResult.Mode

    func result() throws(CoreDataError) -> ScenarioResult {
        var transcripts = TranscriptBuilder(runner: runner)
        var outcomes: [OutcomeResult] = []
        for (index, tally) in exploration.tallies.enumerated() {
            // A run on real threads cannot be repeated, so it has no transcript.
            let path = runner.threads == nil ? exploration.paths[index] : nil
            outcomes.append(try outcome(tally, path, &transcripts))
        }
        var findings: [LabResults.Finding] = []
        for (index, witness) in exploration.witnesses.enumerated() {
            let made = try transcripts.transcript(witness.path)
            findings.append(
                LabResults.Finding(
                    id: "finding-\(index + 1)", name: witness.detection.name,
                    adya: witness.detection.adya, prose: witness.detection.prose,
                    evidence: witness.detection.evidence, step: witness.detection.step,
                    cycle: Cycle.of(witness.detection, in: transcripts.cycles(of: made))
                        .map(LabResults.Finding.Cycle.init),
                    token: made.token, transcript: made.id))
        }
        for index in outcomes.indices {
            let names = exploration.tallies[index].findings
            outcomes[index].findings = findings.filter { names.contains($0.name) }.map(\.id)
        }
        return assemble(outcomes, findings, transcripts)
    }

    private func outcome(
        _ tally: OutcomeTally, _ path: [UInt8]?, _ transcripts: inout TranscriptBuilder
    ) throws(CoreDataError) -> OutcomeResult {
        let scenario = runner.plan.scenario
        let (grade, reason) = Self.words(tally.mark, scenario)
        let isTelling = grade != .acceptable || !tally.findings.isEmpty
        let made = try path.map { path throws(CoreDataError) in
            try transcripts.transcript(path, isTelling: isTelling)
        }
        let observed = zip(scenario.observations, tally.outcome.values).map {
            OutcomeResult.Observation($0.name.value, $1.description)
        }
        return OutcomeResult(
            observed: observed, grade: grade, reason: reason, count: tally.count,
            token: made?.token, transcript: made?.id)
    }

    static func words(
        _ mark: OutcomeGrading.Mark, _ scenario: Scenario
    ) -> (grade: Grade, reason: String) {
        switch mark {
        case .unmatched: return (.unmatched, "no outcome of the file matches")
        case .spec(let index):
            let spec = scenario.outcomes[index]
            let grade: Grade =
                switch spec.grade {
                case .acceptable: .acceptable
                case .interesting: .interesting
                case .forbidden: .forbidden
                case .defect: .defect
                }
            return (grade, spec.because)
        }
    }

    private func assemble(
        _ outcomes: [OutcomeResult], _ findings: [LabResults.Finding],
        _ made: TranscriptBuilder
    ) -> ScenarioResult {
        var transcripts = made
        let scenario = runner.plan.scenario
        var verdict: Verdict =
            switch exploration.judgement.verdict {
            case .passed: .passed
            case .failed: .failed
            case .interesting: .interesting
            case .inconclusive: .inconclusive
            }
        var reasons = exploration.judgement.reasons
        if let path = exploration.unrepeatable, let made = try? transcripts.transcript(path) {
            transcripts.note("two runs of \(made.token) had different histories")
        }
        if let difference = transcripts.difference {
            verdict = .nondeterministic
            reasons.insert(difference, at: 0)
        }
        let summary = exploration.summary
        return ScenarioResult(
            name: scenario.fullName, file: scenario.file, sentence: scenario.about,
            references: scenario.refs.map(\.value), cell: runner.plan.cell.axisValues, mode: mode,
            schedules: ScheduleCount(
                predicted: summary.predicted.count.flatMap { Int(exactly: $0) },
                explored: summary.explored, strategy: summary.strategy,
                stoppedAt: summary.stoppedAt,
                represented: summary.represented.map { Int(clamping: $0) }
                    .flatMap { $0 > summary.explored ? $0 : nil },
                shard: runner.shardText),
            outcomes: outcomes, findings: findings, verdict: verdict, reasons: reasons,
            transcripts: transcripts.made, record: exploration.record)
    }
}

extension MatrixCell {
    var axisValues: [AxisValue] { values.map { AxisValue($0.name, $0.text) } }
}

/// Runs schedules again to write their transcripts, and checks that two runs of a schedule have the
/// same history.
struct TranscriptBuilder {
    let runner: CellRunner
    private(set) var made: [Transcript] = []
    /// The first difference between two runs of a schedule; nil if none was found.
    private(set) var difference: String?
    private var known: [[UInt8]: Int] = [:]
    /// The cycles of each transcript's schedule.
    private var cycles: [[Cycle]] = []

    init(runner: CellRunner) {
        self.runner = runner
    }

    mutating func note(_ text: String) { difference = difference ?? text }

    func cycles(of transcript: Transcript) -> [Cycle] {
        made.firstIndex { $0.id == transcript.id }.map { cycles[$0] } ?? []
    }

    /// - Parameter isTelling: whether the schedule shows a finding or an outcome that is not
    ///   acceptable.
    mutating func transcript(
        _ path: [UInt8], isTelling: Bool = true
    ) throws(CoreDataError) -> Transcript {
        if let index = known[path] { return made[index] }
        let world = runner.world
        let losses = runner.options.certainty && isTelling ? try losses(path) : []
        let (names, text) = try TranscriptText.run(path, in: world)
        var timeline: Timeline?
        let again: String
        // The comparison also checks that recording a timeline does not change the history.
        let isWanted = runner.timelines == .all || runner.timelines == .telling && isTelling
        if isWanted {
            (again, timeline) = try TimelineBuilder(world: world).run(path)
        } else {
            again = try TranscriptText.run(path, in: world).text
        }
        let token = runner.token(names)
        timeline?.add(losses)
        if again != text, difference == nil {
            difference = "two runs of \(token) had different histories"
        }
        let scenario = runner.plan.scenario
        let cycles = world.cycles
        self.cycles.append(cycles)
        let transcript = Transcript(
            id: Self.identifier(scenario, runner.plan.cell, made.count + 1),
            title:
                "\(scenario.fullName), \(runner.plan.cell), schedule "
                + names.joined(separator: " "),
            token: token,
            text: TranscriptText.page(
                text, runner: runner, token: token, outcome: world.outcome,
                findings: world.findings, cycles: cycles,
                losses: zip(names, losses.dropFirst()).map { ($0, $1) }
            ), timeline: timeline)
        known[path] = made.count
        made.append(transcript)
        return transcript
    }

    /// The share of the continuations that lose like a schedule, before its first step and after
    /// each step. A schedule loses if its outcome is not acceptable, or else if it has the findings
    /// of the given schedule.
    private func losses(_ path: [UInt8]) throws(CoreDataError) -> [Timeline.Loss?] {
        let (world, scenario) = (runner.world, runner.plan.scenario)
        var grading = OutcomeGrading(scenario: scenario, cell: runner.plan.cell)
        if grading.needsSerial {
            grading.serial = try SerialRuns(world: runner.inlineWorld).outcomes()
        }
        _ = try TranscriptText.run(path, in: world)
        let graded = grading
        func isBad() -> Bool {
            let (grade, _) = CellReport.words(graded.mark(world.outcome), scenario)
            return [.unmatched, .forbidden, .defect].contains(grade)
        }
        let (wasBad, names) = (isBad(), Set(world.findings.map(\.name)))
        if !wasBad, names.isEmpty { return [] }
        var shares = LossShares(plan: runner.plan.schedulePlan, world: world) {
            wasBad ? isBad() : names.isSubset(of: Set(world.findings.map(\.name)))
        }
        shares.deadline = .now + .seconds(10)
        return try shares.along(path).map { $0.map(Timeline.Loss.init) }
    }

    private static func identifier(_ scenario: Scenario, _ cell: MatrixCell, _ number: Int)
        -> String
    {
        let text = "\(scenario.fullName)-\(cell)-\(number)"
        let letters = text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        return letters.reduce(into: "") { id, letter in
            if letter != "-" || id.last != "-" { id.append(letter) }
        }
    }
}

extension CellRunner {
    func token(_ names: [String]) -> String {
        ScheduleToken(
            scenario: plan.scenario.fullName, hash: plan.scenario.hash, cell: plan.cell.description,
            steps: names
        ).description
    }
}
