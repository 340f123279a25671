import CoreDataStore
import LabFiles
import LabRunner
import LabScenario
import LabSchedule

/// Checks one scenario with every oracle. Workers use it for each attempt, and the shrinker uses it
/// for each smaller scenario.
struct ScenarioJudge {
    struct Effort: Codable, Sendable {
        /// Scenarios with at most this many schedules are run completely. Others are sampled.
        var schedules = 30
        var samples = 6
        /// The number of schedules to run in the in-memory store, and in each store with a file
        /// (SQLite, XML and binary).
        var memory = 6
        var files = 1
        /// The only store with a file to run; nil to run all of them.
        var beside: String?
        /// The maximum number of schedules for the comparison of strategies with brute force. If it
        /// is set, no other check runs.
        var walks: Int?
        /// The mode of all scenarios; nil to use the mode of each scenario.
        var mode: String?
        /// Whether the scenario is also written to a file, read from there and run.
        var readsText = true
        var repeats = true

        /// The checks for one attempt. A few schedules find most faults, so most attempts omit the
        /// expensive checks.
        func turned(_ attempt: Int) -> Effort {
            var turned = self
            turned.readsText = readsText && attempt % 16 == 0
            if attempt % 64 == 0 {
                turned.schedules *= 10
            } else if attempt % 4 != 0 {
                turned.schedules = min(schedules, 6)
                turned.samples = min(samples, 3)
                turned.memory = min(memory, 2)
                turned.files = 0
                turned.repeats = false
            }
            let files = [StoreSpec.Kind.file, .xml, .binary]
            turned.beside = beside ?? files[attempt / 4 % files.count].rawValue
            return turned
        }
    }

    let bench: TrialBench
    var effort = Effort()
    /// Called repeatedly while strategies are compared, so that the process does not appear to
    /// hang.
    var lives: () -> Void = {}

    private struct Reference {
        var ends: [ScheduleEnd] = []
        var isComplete = false
        var failure: String?
    }

    func judge(_ draft: ScenarioDraft) -> Judgement {
        var judgement = Judgement()
        do {
            let model = try bench.model(of: draft)
            let scenario = try draft.scenario(model.shape)
            try bench.reader.check(scenario, against: model.shape)
            try judge(draft, scenario, model, &judgement)
        } catch let error as ScenarioProblems {
            judgement.complain(.valid, "\(error)")
        } catch let error as InputErrors where error.errors.contains(where: Self.isSetup) {
            judgement.count("setups that their model refuses")
        } catch {
            judgement.complain(.valid, "\(error)")
        }
        return judgement
    }

    private static func isSetup(_ error: InputError) -> Bool {
        error.problem.hasPrefix("the store cannot be prepared")
    }

    private func judge(
        _ draft: ScenarioDraft, _ scenario: Scenario, _ model: TrialBench.Model,
        _ judgement: inout Judgement
    ) throws {
        let kind = StoreSpec.Kind(rawValue: draft.store) ?? .image
        judgement.count("scenarios")
        if draft.mode == "threads" {
            return try race(draft, scenario, kind, model, &judgement)
        }
        if let most = effort.walks {
            return try bench.withTrial(scenario, kind, model.trial) { trial in
                judgement.count("scenarios in \(draft.mode) mode")
                walk(trial, most: most, &judgement)
            }
        }
        let isSole = SoleWriterOracle.applies(to: draft)
        if isSole { judgement.count("scenarios with a sole writer") }
        let reference = try bench.withTrial(
            scenario, kind, model.trial, countsConflicts: isSole
        ) { trial in
            let reference = explore(draft, trial, &judgement)
            if draft.mode == "inline" {
                reduce(reference, trial, &judgement)
            } else {
                walk(trial, most: effort.schedules, &judgement)
            }
            if effort.repeats { repeatOne(reference, trial, &judgement) }
            try serial(draft, scenario, model, trial, &judgement)
            return reference
        }
        look(draft, reference, model, &judgement)
        try compare(draft, scenario, reference, model, &judgement)
        try readText(draft, reference, kind, model, &judgement)
    }

    // MARK: The draft's own store

    private func explore(
        _ draft: ScenarioDraft, _ trial: ScenarioTrial, _ judgement: inout Judgement
    ) -> Reference {
        var reference = Reference()
        let isWhole = trial.predicted.map { $0 <= UInt64(effort.schedules) } ?? false
        var strategy = Strategy.random
        if draft.mode == "baton" {
            strategy = .bounded(2)
        } else if isWhole {
            strategy = .exhaustive
        }
        do throws(CoreDataError) {
            let limit = isWhole && draft.mode == "inline" ? effort.schedules * 2 : effort.samples
            reference.isComplete = try trial.explore(strategy, limit: limit) { end, _ in
                reference.ends.append(end)
                return true
            }
        } catch {
            reference.failure = "\(error.cocoaCode): \(error.message)"
        }
        judgement.count("schedules", reference.ends.count)
        return reference
    }

    private func reduce(
        _ reference: Reference, _ trial: ScenarioTrial, _ judgement: inout Judgement
    ) {
        guard reference.isComplete, reference.failure == nil, reference.ends.count > 1 else {
            return
        }
        walk(trial, most: reference.ends.count, &judgement)
    }

    private func walk(_ trial: ScenarioTrial, most: Int, _ judgement: inout Judgement) {
        do throws(CoreDataError) {
            switch try WalkOracle(trial: trial, most: most, lives: lives).answer() {
            case .agree(let schedules, let reduced):
                judgement.count("walks compared")
                judgement.count("schedules by brute force", schedules)
                judgement.count("schedules of reduced walks", reduced)
            case .tooLarge: judgement.count("walks with too many schedules")
            case .differ(let text): judgement.complain(.reduction, text)
            }
        } catch {
            judgement.complain(.reduction, "a walk ends with \(error.message)")
        }
    }

    private func repeatOne(
        _ reference: Reference, _ trial: ScenarioTrial, _ judgement: inout Judgement
    ) {
        guard let end = reference.ends.last, reference.failure == nil else { return }
        var digests: [UInt64] = []
        for _ in 0..<2 {
            guard let again = try? trial.run(end.path) else {
                return judgement.complain(.repetition, "a schedule cannot be run again")
            }
            digests.append(trial.digest)
            var known = end
            known.conflicts = again.conflicts
            judgement.complain(
                .repetition,
                EndComparison.difference(known, again, "the first run", "the second"))
        }
        if digests[0] != digests[1] {
            judgement.complain(.repetition, "two runs of a schedule have different histories")
        }
    }

    private func serial(
        _ draft: ScenarioDraft, _ scenario: Scenario, _ model: TrialBench.Model,
        _ trial: ScenarioTrial, _ judgement: inout Judgement
    ) throws {
        guard SerialOracle.applies(to: draft) else { return }
        let oracle = SerialOracle(scenario: scenario, model: model.view)
        let start = try trial.start()
        let sessions = Array(draft.sessions.indices)
        for order in sessions.count > 1 ? [sessions, sessions.reversed()] : [sessions] {
            let end = try trial.runSerially(order)
            let (complaint, notUnderstood) = oracle.check(order, start: start, end: end)
            judgement.count(
                notUnderstood.map { "serial orders left out for \($0)" } ?? "serial orders compared"
            )
            judgement.complain(.serial, complaint)
        }
    }

    // MARK: Ends

    private func look(
        _ draft: ScenarioDraft, _ reference: Reference, _ model: TrialBench.Model,
        _ judgement: inout Judgement
    ) {
        let isSole = SoleWriterOracle.applies(to: draft)
        let inverses = InverseOracle(draft, model.view)
        for end in reference.ends {
            if isSole { judgement.complain(.soleWriter, SoleWriterOracle.complaint(end)) }
            judgement.complain(.inverses, end.graph.flatMap(inverses.complaint))
            judgement.complain(.deadlock, DeadlockOracle.complaint(draft, end))
            if !judgement.complaints.isEmpty { return }
        }
    }

    private func race(
        _ draft: ScenarioDraft, _ scenario: Scenario, _ kind: StoreSpec.Kind,
        _ model: TrialBench.Model, _ judgement: inout Judgement
    ) throws {
        let inverses = InverseOracle(draft, model.view)
        let patience = Duration.seconds(DeadlockOracle.mayWait(draft) ? 2 : 10)
        try bench.withTrial(scenario, kind, model.trial, patience: patience) { trial in
            for seed in 1...3 {
                let (end, hanging) = try trial.race(seed: UInt64(seed))
                judgement.count("runs on real threads")
                if !hanging.isEmpty {
                    let text = "\(hanging.joined(separator: " and ")) did not end"
                    return DeadlockOracle.mayWait(draft)
                        ? judgement.count("waits that hang") : judgement.complain(.hang, text)
                }
                guard let end else { continue }
                if SoleWriterOracle.applies(to: draft) {
                    judgement.complain(.soleWriter, SoleWriterOracle.complaint(end))
                }
                judgement.complain(.inverses, end.graph.flatMap(inverses.complaint))
            }
        }
    }

    // MARK: Other stores and the text

    private func compare(
        _ draft: ScenarioDraft, _ scenario: Scenario, _ reference: Reference,
        _ model: TrialBench.Model, _ judgement: inout Judgement
    ) throws {
        let (stores, allowed) = AllowedDifference.stores(for: draft)
        for difference in allowed { judgement.count(difference.label) }
        if AllowedDifference.linksToDeleted.applies(draft) {
            judgement.count(AllowedDifference.linksToDeleted.label)
        }
        if draft.mode == "baton" {
            judgement.count(AllowedDifference.batonStores)
            return try exploreOthers(draft, scenario, stores, model, &judgement)
        }
        let inverses = InverseOracle(draft, model.view)
        let allowance = EndAllowance(draft)
        for store in stores where isWanted(store) {
            let ends = sample(reference.ends, store == .memory ? effort.memory : effort.files)
            if ends.isEmpty { continue }
            judgement.count("scenarios in \(store.rawValue)")
            try bench.withTrial(scenario, store, model.trial) { trial in
                for end in ends {
                    let replay = Replay(end, in: trial)
                    if let text = replay.difference(from: end, draft.store, store.rawValue) {
                        if let reason = allowance.reason(end, replay) {
                            judgement.count(reason)
                            continue
                        }
                        return judgement.complain(.stores, told(text, after: end, trial))
                    }
                    judgement.complain(.inverses, replay.end?.graph.flatMap(inverses.complaint))
                }
            }
        }
    }

    private func isWanted(_ store: StoreSpec.Kind) -> Bool {
        store == .memory || store == .image || effort.beside.map { $0 == store.rawValue } ?? true
    }

    /// Explores a few schedules in each of the other stores. Their results are not compared.
    private func exploreOthers(
        _ draft: ScenarioDraft, _ scenario: Scenario, _ stores: [StoreSpec.Kind],
        _ model: TrialBench.Model, _ judgement: inout Judgement
    ) throws {
        for store in stores where isWanted(store) && judgement.complaints.isEmpty {
            judgement.count("scenarios in \(store.rawValue)")
            try bench.withTrial(
                scenario, store, model.trial, countsConflicts: SoleWriterOracle.applies(to: draft)
            ) { trial in
                look(draft, explore(draft, trial, &judgement), model, &judgement)
            }
        }
    }

    private func told(_ text: String, after end: ScheduleEnd, _ trial: ScenarioTrial) -> String {
        "\(text), after \(trial.names(of: end.path).joined(separator: " "))"
    }

    private func sample(_ ends: [ScheduleEnd], _ most: Int) -> [ScheduleEnd] {
        if ends.count <= most { return ends }
        return (0..<most).map { ends[$0 * ends.count / most] }
    }

    private func readText(
        _ draft: ScenarioDraft, _ reference: Reference, _ kind: StoreSpec.Kind,
        _ model: TrialBench.Model, _ judgement: inout Judgement
    ) throws {
        guard effort.readsText, let end = reference.ends.first else { return }
        judgement.count("files read")
        let read = try bench.reader.read([UInt8](draft.yaml.utf8), file: draft.name)
        try bench.withTrial(read, kind, model.trial) { trial in
            let text = Replay(end, in: trial).difference(from: end, "the scenario", "its file")
            judgement.complain(.text, text.map { told($0, after: end, trial) })
        }
    }
}
