/// Checks that every name that a scenario uses exists. The reader runs it for the scenario and for
/// each cure. ``StepCheck`` checks the steps.
struct ScenarioCheck {
    let scenario: Scenario
    let shape: ModelShape
    let policies: [String]
    /// The parameters of the file, including those that only a cure or only the scenario itself
    /// uses.
    let parameters: [String]
    let problems: ProblemList

    func run() {
        checkContexts()
        checkTopology()
        checkStore()
        checkMatrix()
        checkStepNames()
        checkOrders()
        checkSchedules()
        checkGluedSteps()
        checkThreads()
        StepCheck(scenario: scenario, shape: shape, problems: problems).run()
        checkObservations()
        checkOutcomes()
    }

    private var contextNames: [String] { scenario.contexts.map(\.name.value) }

    func unknown(_ name: Located<String>, _ kind: String, among known: [String]) {
        problems.add(
            "unknown \(kind) '\(name.value)'", at: name.position,
            instead: Suggestion.text(for: name.value, among: known, kind: kind))
    }

    private func requireContext(_ name: Located<String>) {
        if !contextNames.contains(name.value) { unknown(name, "context", among: contextNames) }
    }

    private func checkContexts() {
        var earlier: [String] = []
        for context in scenario.contexts {
            if let parent = context.parent {
                for name in settingValues(parent, text: { Located($0.text, at: $1) }) {
                    if name.value == "store" { continue }
                    requireContext(name)
                    if contextNames.contains(name.value), !earlier.contains(name.value) {
                        problems.add(
                            "the parent '\(name.value)' comes after its child", at: name.position,
                            instead: "move '\(name.value)' above '\(context.name.value)'")
                    }
                }
                if let coordinator = context.coordinator {
                    problems.add(
                        "'\(context.name.value)' has a parent and a coordinator",
                        at: coordinator.position, instead: "keep one of them")
                }
            }
            for source in sources(ofMergesInto: context) {
                requireContext(source)
                if source.value == context.name.value {
                    problems.add(
                        "'\(source.value)' merges from itself", at: source.position,
                        instead: "name another context")
                }
            }
            for policy in settingValues(
                context.policy, text: { Located(PolicyName($0.text), at: $1) })
            {
                checkPolicy(policy)
            }
            earlier.append(context.name.value)
        }
        for session in scenario.sessions { requireContext(session.context) }
        for block in scenario.blocks { requireContext(block.context) }
    }

    func checkPolicy(_ policy: Located<PolicyName>) {
        let name = policy.value.name
        guard policies.contains(name) else {
            if let own = PolicyName.own(of: name) {
                return problems.add(
                    "'\(name)' is Core Data's name of the policy '\(own)'", at: policy.position,
                    instead: "write '\(own)'")
            }
            let near = Suggestion.text(for: name, among: policies, kind: "policy")
            let own = ", or give --tests PRODUCT with the test product that registers it"
            return problems.add(
                "unknown policy '\(name)'", at: policy.position,
                instead: near.hasPrefix("did you mean") ? near : near + own)
        }
        if PolicyName.plain.contains(name), !policy.value.argument.isEmpty {
            problems.add(
                "the policy '\(name)' takes no argument", at: policy.position,
                instead: "write only '\(name)'")
        }
        if name == "newest" { checkStamp(policy) }
        if name == "recount" { checkRecount(policy) }
    }

    private func checkStamp(_ policy: Located<PolicyName>) {
        let key = policy.value.argument
        let known = Set(shape.entities.flatMap { shape.propertyNames(of: $0.name.value) })
        if known.contains(key) { return }
        if key.isEmpty {
            return problems.add(
                "'newest' needs the property to compare", at: policy.position,
                instead: "write 'newest KEY'")
        }
        unknown(Located(key, at: policy.position), "property", among: known.sorted())
    }

    private func checkRecount(_ policy: Located<PolicyName>) {
        guard let rule = RecountRule(policy.value.argument) else {
            return problems.add(
                "'recount' needs the count and the relationship", at: policy.position,
                instead: "write 'recount ENTITY.KEY from RELATIONSHIP'")
        }
        if shape.entity(named: rule.entity) == nil {
            return unknown(
                Located(rule.entity, at: policy.position), "entity",
                among: shape.entities.map(\.name.value))
        }
        let keys = shape.propertyNames(of: rule.entity)
        for key in [rule.key, rule.relationship] where !keys.contains(key) {
            unknown(Located(key, at: policy.position), "property", among: keys)
        }
    }

    /// The possible values of a setting: its value, or the values of its matrix parameter.
    func settingValues<Value>(
        _ setting: Setting<Value>, text convert: (MatrixCell.Value, SourcePosition) -> Value
    ) -> [Value] {
        switch setting {
        case .value(let value): return [value]
        case .parameter(let name):
            let axis = scenario.matrix.first { $0.name.value == name.value }
            return (axis?.values ?? []).map {
                convert(MatrixCell.Value(name: name.value, value: $0.value), $0.position)
            }
        }
    }

    /// The contexts whose saves an observer may merge into this one, in all cells.
    func sources(ofMergesInto context: ContextSpec) -> [Located<String>] {
        context.mergesFrom.flatMap { settingValues($0) { Located($0.text, at: $1) } }
            .filter { $0.value != ContextSpec.noContext || contextNames.contains($0.value) }
    }

    private func checkStore() {
        checkWords(scenario.store.kind, StoreSpec.Kind.allCases.map(\.rawValue))
        checkWords(scenario.store.journal, ["wal", "delete"])
        for context in scenario.contexts {
            checkWords(context.queue, ["main", "private"])
            checkWords(context.automerge, ["true", "false"])
            checkWords(context.undo, ["true", "false"])
        }
        checkWords(scenario.quirk, Quirk.allCases.map(\.rawValue))
        let coordinators =
            scenario.topology == nil ? scenario.contexts.compactMap(\.coordinator) : []
        let kinds = settingValues(scenario.store.kind) { value, _ in
            StoreSpec.Kind(rawValue: value.text) ?? .image
        }
        if let second = coordinators.first, let kind = kinds.first(where: { $0 != .file }) {
            problems.add(
                "a second stack needs a store in a file, and '\(kind.rawValue)' has no file",
                at: second.position,
                instead: "write 'store: sqlite'")
        }
        if scenario.store.copyOf != nil, kinds.contains(where: { $0 != .file }) {
            problems.add(
                "a copied store must be a file", at: scenario.store.position,
                instead: "write 'kind: sqlite', or leave 'kind' out")
        }
    }

    private func checkWords<Value>(_ setting: Setting<Value>, _ words: [String]) {
        guard case .parameter(let name) = setting,
            let axis = scenario.matrix.first(where: { $0.name.value == name.value })
        else { return }
        for value in axis.values {
            let text = MatrixCell.Value(name: name.value, value: value.value).text
            if !words.contains(text) {
                unknown(
                    Located(text, at: value.position), "value of '$\(name.value)'", among: words)
            }
        }
    }

    private func checkMatrix() {
        let count = MatrixCells.count(of: scenario.matrix)
        if count.map({ $0 > ScenarioLimits.cells }) ?? true {
            let number = count.map(String.init) ?? "more cells than the lab can count"
            problems.add(
                "the matrix has \(number)\(count == nil ? "" : " cells"), and at most"
                    + " \(ScenarioLimits.cells) are run",
                at: scenario.matrix.first?.name.position ?? .start,
                instead: "remove parameters or values, or split the scenario")
        }
        let axes = scenario.matrix.map(\.name.value)
        for parameter in ParameterUse.all(in: scenario) where !axes.contains(parameter.value) {
            unknown(parameter, "parameter", among: parameters)
        }
        let used = ParameterUse.names(in: scenario)
        for axis in scenario.matrix {
            if axis.values.isEmpty {
                problems.add(
                    "the parameter '\(axis.name.value)' has no values", at: axis.name.position,
                    instead: "list at least one value")
            }
            if !used.contains(axis.name.value), scenario.cure == nil {
                problems.add(
                    "the parameter '\(axis.name.value)' is never used", at: axis.name.position,
                    instead: "write '$\(axis.name.value)' somewhere, or remove it")
            }
        }
    }

    private func checkStepNames() {
        var seen: Set<String> = []
        let names = scenario.sessions.flatMap { $0.steps.map(\.name) } + scenario.blocks.map(\.name)
        for name in names where !seen.insert(name.value).inserted {
            problems.add(
                "two steps are named '\(name.value)'", at: name.position,
                instead: "give each step a unique name, because schedules refer to steps by name")
        }
        for session in scenario.sessions where session.steps.isEmpty {
            problems.add(
                "the session '\(session.name.value)' has no steps", at: session.name.position,
                instead: "give it a step, or remove it")
        }
        if scenario.sessions.isEmpty {
            problems.add(
                "the scenario has no sessions", at: .start, instead: "write at least one session")
        }
    }

    private func checkSchedules() {
        for schedule in scenario.schedules {
            checkSchedule(schedule.value, at: schedule.position)
        }
    }

    /// Checks that the names in a schedule are names of steps or of mailbox entries. With `mode:
    /// baton`, a name may also be a wait inside a step, such as `a1^main`.
    func checkSchedule(_ names: [String], at position: SourcePosition) {
        let steps = scenario.sessions.flatMap { $0.steps.map(\.name.value) }
        for name in names where !name.hasPrefix("~") {
            let parts = name.split(separator: "^", maxSplits: 1).map(String.init)
            let step = scenario.mode == .baton ? parts.first ?? name : name
            if !steps.contains(step) { unknown(Located(name, at: position), "step", among: steps) }
        }
    }

    private func checkObservations() {
        let steps =
            scenario.sessions.flatMap { $0.steps.map(\.name.value) }
            + scenario.blocks.map(\.name.value)
        let check = StepCheck(scenario: scenario, shape: shape, problems: problems)
        for observation in scenario.observations {
            switch observation.source {
            case .count(let query): check.check(query, names: check.setupNames)
            case .read(let query, let keys):
                check.check(query, names: check.setupNames)
                if shape.entity(named: query.entity.value) != nil {
                    check.checkPath(keys, of: query.entity.value)
                }
            case .status(let step), .cost(_, let step):
                if !steps.contains(step.value) { unknown(step, "step", among: steps) }
            case .value(let name):
                let bound = check.valueNames
                if !bound.contains(name.value) { unknown(name, "name", among: bound) }
            case .sql: break
            }
        }
    }

    private func checkOutcomes() {
        let names = scenario.observations.map(\.name.value)
        for name in scenario.headline where !names.contains(name.value) {
            unknown(name, "observation", among: names)
        }
        for outcome in scenario.outcomes {
            if scenario.cure != nil, outcome.grade == .defect {
                problems.add(
                    "a cure has a defect", at: outcome.position,
                    instead:
                        "grade the outcome as forbidden, because a cure must prevent the defect")
            }
            if case .values(let patterns) = outcome.pattern {
                for pattern in patterns where !names.contains(pattern.observation.value) {
                    unknown(pattern.observation, "observation", among: names)
                }
            }
            for condition in outcome.when { check(condition) }
        }
    }

    private func check(_ condition: WhenSpec) {
        let name = condition.parameter.value
        guard let axis = scenario.matrix.first(where: { $0.name.value == name }) else {
            guard parameters.contains(name) else {
                return unknown(condition.parameter, "parameter", among: parameters)
            }
            let owner = scenario.cure == nil ? "the scenario" : "the cure"
            return problems.add(
                "the outcome depends on the parameter '\(name)', which \(owner) does not use",
                at: condition.parameter.position,
                instead: "remove the condition, or use '$\(name)' in \(owner)")
        }
        let known = axis.values.map(\.value)
        for value in condition.values where !known.contains(value.value) {
            unknown(
                Located(MatrixCell.Value(name: "", value: value.value).text, at: value.position),
                "value of '\(axis.name.value)'",
                among: known.map { MatrixCell.Value(name: "", value: $0).text })
        }
    }
}
