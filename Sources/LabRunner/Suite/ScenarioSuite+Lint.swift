import ContextHistory
import CoreDataStore
import LabFiles
import LabScenario
import LabSchedule

/// A part of a scenario file that is valid but should probably be changed.
package struct LintWarning: Sendable, Hashable, CustomStringConvertible {
    package let file: String
    package let position: SourcePosition
    package let what: String
    package let instead: String

    package var description: String {
        "\(file):\(position.line):\(position.column): warning: \(what); \(instead)"
    }
}

/// The warnings. Errors in files are thrown instead.
package struct LintReport: Sendable {
    package var files = 0
    package var warnings: [LintWarning] = []
}

extension ScenarioSuite {
    /// Checks scenario files.
    ///
    /// - Parameter runs: whether to run the scenarios as well, to find outcomes that no schedule
    ///   shows.
    /// - Throws: every error of every file, each with its position.
    package func lint(
        _ paths: [String], runs: Bool, progress: @escaping ProgressSink = { _ in }
    ) throws(InputErrors) -> LintReport {
        let files = try load(paths)
        return lint(files, runs ? try looks(at: files, paths, progress) : nil)
    }

    /// Checks files, and the results of their cells if the cells have run.
    func lint(_ files: [ScenarioLoader.Result], _ looks: [CellKey: CellLook]?) -> LintReport {
        var report = LintReport(files: files.count)
        for file in files {
            report.warnings += StaticLint(scenario: file.scenario).warnings()
            if case .loaded(let variants) = file, let looks {
                for loaded in variants { report.warnings += unseen(loaded.scenario, looks) }
            }
        }
        return report
    }

    /// The results of one cell's schedules, for the lint.
    struct CellLook: Sendable {
        private(set) var isComplete = false
        /// The positions of the file's outcomes that were seen.
        private(set) var seen: Set<Int> = []

        init() {}

        init(_ exploration: CellRunner.Exploration) {
            isComplete = exploration.summary.isComplete
            for tally in exploration.tallies {
                if case .spec(let index) = tally.mark { seen.insert(index) }
            }
        }
    }

    private func looks(
        at files: [ScenarioLoader.Result], _ paths: [String],
        _ progress: @escaping ProgressSink
    ) throws(InputErrors) -> [CellKey: CellLook] {
        let time = options.timeBudget.map {
            TimeBudget($0, cells: Self.cellCount(files), jobs: options.jobs)
        }
        let jobs = files.flatMap { file -> [CellJob] in
            guard case .loaded(let variants) = file else { return [] }
            return variants.flatMap { loaded in
                loaded.scenario.cells.map {
                    CellJob(loaded: loaded, cell: $0, options: options)
                }
            }
        }
        let looks = try withFolder { (folder) throws(InputErrors) in
            try runCells(
                jobs, folder, ScenarioLoader(options, named: paths)
            ) { (runner, _) throws(InputErrors) in
                let deadline = time?.deadlineOfNextCell()
                if time?.isOver == true { return CellLook() }
                return CellLook(try runner.explore(deadline: deadline, progress: progress))
            }
        }
        return CellKey.table(jobs, looks)
    }

    private func unseen(_ scenario: Scenario, _ looks: [CellKey: CellLook]) -> [LintWarning] {
        let own = scenario.cells.map { looks[CellKey(scenario, $0)] ?? CellLook() }
        guard own.allSatisfy(\.isComplete) else { return [] }
        let seen = own.reduce(into: Set<Int>()) { $0.formUnion($1.seen) }
        return scenario.outcomes.enumerated().compactMap { index, outcome in
            guard !seen.contains(index), outcome.grade != .forbidden else { return nil }
            return LintWarning(
                file: scenario.file, position: outcome.position,
                what: "no schedule shows this \(outcome.grade.rawValue) outcome",
                instead: "remove it, or put it above the outcome that covers it")
        }
    }
}

private struct StaticLint {
    let scenario: Scenario

    func warnings() -> [LintWarning] {
        lonelySession() + idleContexts() + idleBlocks() + unusedNames() + idleObservations()
            + covered() + missingParts()
    }

    private func warning(
        _ position: SourcePosition, _ what: String, _ instead: String
    ) -> LintWarning {
        LintWarning(file: scenario.file, position: position, what: what, instead: instead)
    }

    private var variants: [Scenario] { [scenario] + scenario.cures }

    private func statements(_ scenario: Scenario) -> [Statement] {
        (scenario.sessions.flatMap(\.steps) + scenario.blocks.map(\.step)).flatMap(\.statements)
    }

    private func lonelySession() -> [LintWarning] {
        let hasOthers = scenario.sessions.count > 1 || !scenario.blocks.isEmpty
        let merges = scenario.contexts.contains { !$0.mergesFrom.isEmpty || $0.mayMerge }
        guard !hasOthers, !merges, let only = scenario.sessions.first, scenario.bug == nil,
            scenario.schedules.isEmpty
        else { return [] }
        return [
            warning(
                only.name.position,
                "'\(only.name.value)' is the only session, so only one order exists",
                "add a session whose steps can run between these")
        ]
    }

    private func idleContexts() -> [LintWarning] {
        var used = Set(variants.flatMap { $0.sessions.map(\.context.value) })
        used.formUnion(variants.flatMap { $0.blocks.map(\.context.value) })
        for context in variants.flatMap(\.contexts) {
            for case .value(let source) in context.mergesFrom { used.insert(source.value) }
            if case .value(let parent) = context.parent { used.insert(parent.value) }
        }
        for axis in scenario.matrix { used.formUnion(axis.values.map { Self.text($0.value) }) }
        return scenario.contexts.filter {
            !used.contains($0.name.value) && scenario.topology == nil
        }
        .map {
            warning(
                $0.name.position, "no session uses the context '\($0.name.value)'", "remove it")
        }
    }

    private static func text(_ literal: Literal) -> String {
        MatrixCell.Value(name: "", value: literal).text
    }

    private func idleBlocks() -> [LintWarning] {
        var used: Set<String> = []
        for variant in variants {
            used.formUnion(variant.contexts.flatMap { $0.observingBlocks.map(\.value) })
            for statement in statements(variant) {
                if let block = statement.action.block { used.insert(block.value) }
            }
        }
        return scenario.blocks.filter { !used.contains($0.name.value) }.map {
            warning(
                $0.name.position, "nothing runs the block '\($0.name.value)'",
                "enqueue it, wait for it, or name it under 'on-save' or 'waits-on-save'")
        }
    }

    /// Finds values that are read into a name but neither used nor observed.
    private func unusedNames() -> [LintWarning] {
        let texts = variants.flatMap { statements($0).map(\.text) }
        let observed = scenario.observations.compactMap { observation -> String? in
            if case .value(let name) = observation.source { return name.value }
            return nil
        }
        return statements(scenario).compactMap { statement in
            let bound: Located<String>
            switch statement.action {
            case .list(.count(_, let name?)), .object(.read(_, let name?)),
                .object(.state(_, _, let name?)), .context(.state(_, let name?)):
                bound = name
            default: return nil
            }
            let uses = texts.count {
                Self.words(of: $0).contains(bound.value[...]) && $0 != statement.text
            }
            if observed.contains(bound.value) || uses > 0 { return nil }
            return warning(
                bound.position, "nothing uses '\(bound.value)'",
                "observe it with 'value \(bound.value)', or leave '-> \(bound.value)' out")
        }
    }

    private static func words(of statement: String) -> [Substring] {
        statement.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
    }

    private func idleObservations() -> [LintWarning] {
        var named = Set(scenario.headline.map(\.value))
        for outcome in variants.flatMap(\.outcomes) {
            switch outcome.pattern {
            case .serial: return []
            case .values(let patterns): named.formUnion(patterns.map(\.observation.value))
            }
        }
        return scenario.observations.filter { !named.contains($0.name.value) }.map {
            warning(
                $0.name.position, "no outcome names the observation '\($0.name.value)'",
                "name it in an outcome, or remove it")
        }
    }

    /// Finds outcomes that come after an outcome that matches everything.
    private func covered() -> [LintWarning] {
        guard let first = scenario.outcomes.firstIndex(where: \.takesAll),
            first + 1 < scenario.outcomes.count
        else { return [] }
        return [
            warning(
                scenario.outcomes[first + 1].position,
                "the outcome of line \(scenario.outcomes[first].position.line) matches everything",
                "move that outcome to the end")
        ]
    }

    private func missingParts() -> [LintWarning] {
        var found: [LintWarning] = []
        let hasDefect = scenario.outcomes.contains { $0.grade == .defect }
        if hasDefect, scenario.cures.isEmpty {
            found.append(
                warning(
                    .start, "a defect has no cure",
                    "add a cure: a variation of the scenario that passes"))
        }
        if hasDefect, scenario.bug != nil, scenario.refs.isEmpty, scenario.notes == nil {
            found.append(
                warning(.start, "a reported bug has no 'refs'", "add the address of the report"))
        }
        return found
    }
}

extension OutcomeSpec {
    fileprivate var takesAll: Bool {
        guard when.isEmpty, case .values(let patterns) = pattern else { return false }
        return patterns.allSatisfy { $0.pattern == .any }
    }
}

extension ContextSpec {
    fileprivate var mayMerge: Bool {
        if case .value(false) = automerge { return false }
        return true
    }
}
