import ContextHistory
import CoreDataStore
import LabCheck
import LabFiles
import LabResults
import LabScenario
import LabSchedule
import Synchronization

// Explores the schedules of a cell on one or several threads. Each thread has a separate world
// (store, contexts and model).
extension CellRunner {
    /// The threads that may help to explore a cell, and a closure that creates a runner for each of
    /// them.
    final class Company: Sendable {
        let crew: Crew
        /// Creates a runner for the same cell that does not share any state with other runners.
        let makeRunner: @Sendable () throws(InputErrors) -> CellRunner

        init(
            _ crew: Crew, makeRunner: @escaping @Sendable () throws(InputErrors) -> CellRunner
        ) {
            self.crew = crew
            self.makeRunner = makeRunner
        }
    }

    func exploreAll(
        _ grading: OutcomeGrading, _ deadline: ContinuousClock.Instant?,
        _ progress: @escaping ProgressSink
    ) throws(CoreDataError) -> (Explorer.Summary, Tally) {
        var explorer = Explorer(
            plan: plan.schedulePlan, limit: options.limit ?? plan.scenario.explore.limit,
            seed: options.seed ?? plan.scenario.explore.seed)
        explorer.strategy =
            options.strategy ?? plan.scenario.explore.preemptions.map(Strategy.bounded)
            ?? .automatic
        explorer.shard = options.shard
        explorer.deadline = deadline
        let label = "\(plan.scenario.fullName) \(plan.cell)"
        var sequence = WalkSequence(explorer)
        let predicted = sequence.summary.predicted
        options.notes(.predicted(label, predicted, explorer.strategy))
        let began = ContinuousClock.now
        let isLarge = predicted.count.map { $0 > UInt64(Explorer.automaticMax) } ?? true
        let news = FirstFindings(
            label: label, grading: grading,
            isOn: isLarge && !plan.schedulePlan.isOpen, report: options.notes)
        var tally = Tally()
        while let phase = sequence.next() {
            let walk = SharedWalk<Tally, CoreDataError>(
                explorer, phase, empty: Tally(walk: phase.number), after: sequence.summary)
            repeat { share(walk, news, label, progress) } while walk.goOn()
            let (ending, record) = try walk.finish()
            if sequence.take(ending) { tally = Tally() }
            tally.join(record)
        }
        options.notes(.finished(label, sequence.summary, after: .now - began))
        return (sequence.summary, tally)
    }

    private func share(
        _ walk: SharedWalk<Tally, CoreDataError>, _ news: FirstFindings, _ label: String,
        _ progress: @escaping ProgressSink
    ) {
        let report: @Sendable (Explorer.Progress) -> Void = { update in
            progress(
                ProgressUpdate(
                    label, completed: update.explored,
                    total: update.expected.flatMap { Int(exactly: $0) }))
        }
        guard let company else { return take(walk, news, report) }
        company.crew.share({ seat in
            seat.runner(of: company)?.take(walk, news, report)
        }) {
            take(walk, news, report)
        }
    }

    private func take(
        _ walk: SharedWalk<Tally, CoreDataError>, _ news: FirstFindings,
        _ progress: @Sendable (Explorer.Progress) -> Void
    ) {
        var repetition = Repetition()
        walk.work(
            in: world,
            begin: { part in
                repetition = Repetition(after: part)
                return Tally(walk: walk.phase.number, part: part)
            }, progress: progress,
            visit: { (schedule, tally) throws(CoreDataError) in
                let (outcome, findings) = (world.outcome, world.findings)
                let isNew = news.isOn && tally.isNew(outcome, findings)
                tally.add(outcome, findings, schedule)
                if let baton = world.turns as? BatonTurns {
                    tally.add(baton.lockOrder, of: schedule.path)
                }
                try repetition.check(schedule.path, in: world)
                if let path = repetition.difference { tally.addUnrepeatable(path) }
                if isNew {
                    try news.see(outcome, findings) { () throws(CoreDataError) in
                        token(try TranscriptText.run(schedule.path, in: world).names)
                    }
                }
                return true
            })
    }

    /// Adds findings for opposite lock orders that occur in different schedules.
    func addInversions(_ tally: inout Tally) throws(CoreDataError) {
        for inversion in tally.lockOrder.inversions() where !tally.has(inversion.detection) {
            try world.reset()
            for lane in inversion.path { try world.run(lane: Int(lane)) }
            try world.finish()
            var last = Tally(walk: .max)
            last.add(
                world.outcome, [inversion.detection],
                VisitedSchedule(path: inversion.path, weight: 0))
            tally.join(last)
        }
    }
}

extension Tally {
    fileprivate func isNew(_ outcome: Outcome, _ findings: [Detection]) -> Bool {
        !has(outcome) || findings.contains { !has($0) }
    }
}

/// Reports the first schedule with a finding or an unacceptable outcome as soon as it has run,
/// because a large exploration takes minutes.
private final class FirstFindings: Sendable {
    let isOn: Bool
    private let label: String
    private let grading: OutcomeGrading
    private let report: @Sendable (ExploringNote) -> Void
    private let known = Mutex<Set<String>>([])

    init(
        label: String, grading: OutcomeGrading, isOn: Bool,
        report: @escaping @Sendable (ExploringNote) -> Void
    ) {
        self.label = label
        self.grading = grading
        self.isOn = isOn
        self.report = report
    }

    func see(
        _ outcome: Outcome, _ findings: [Detection],
        token: () throws(CoreDataError) -> String
    ) throws(CoreDataError) {
        var shown = findings.map { "\($0.name) in \($0.step)" }
        let (grade, _) = CellReport.words(grading.mark(outcome), grading.scenario)
        if [.unmatched, .forbidden, .defect].contains(grade) {
            shown.append("\(grade.rawValue) outcome \(grading.text(outcome))")
        }
        let news = known.withLock { known in shown.filter { known.insert($0).inserted } }
        if news.isEmpty { return }
        let made = try token()
        for new in news { report(.witness(label, new, token: made)) }
    }
}
