/// Finds every `$parameter` of a scenario.
enum ParameterUse {
    /// The names of the parameters, including the variables of predicates.
    static func names(in scenario: Scenario) -> Set<String> {
        Set(all(in: scenario).map(\.value)).union(predicateVariables(of: scenario))
    }

    /// The variables of the predicates of steps and observations. Bound names are among them.
    private static func predicateVariables(of scenario: Scenario) -> [String] {
        let queries = steps(of: scenario).flatMap(\.statements).compactMap(\.action.query)
        let observed = scenario.observations.compactMap { observation -> Query? in
            switch observation.source {
            case .count(let query), .read(let query, _): query
            default: nil
            }
        }
        return (queries + observed).flatMap { $0.predicate?.variables.map(\.value) ?? [] }
    }

    private static func steps(of scenario: Scenario) -> [Step] {
        scenario.setup + scenario.sessions.flatMap(\.steps) + scenario.blocks.map(\.step)
    }

    static func all(in scenario: Scenario) -> [Located<String>] {
        var found: [Located<String>] = []
        func add<Value>(_ setting: Setting<Value>?) {
            if case .parameter(let name) = setting { found.append(name) }
        }
        add(scenario.store.kind)
        add(scenario.store.journal)
        add(scenario.topology)
        add(scenario.quirk)
        for context in scenario.contexts {
            add(context.queue)
            add(context.parent)
            add(context.policy)
            add(context.automerge)
            for source in context.mergesFrom { add(source) }
            add(context.undo)
        }
        for statement in steps(of: scenario).flatMap(\.statements) {
            for operand in statement.action.operands { found += operand.parameters }
            if case .setting(.policy(let policy)) = statement.action { add(policy) }
        }
        return found
    }
}

extension StepValue {
    var parameters: [Located<String>] {
        switch self {
        case .parameter(let name): [name]
        case .sum(let left, let right), .difference(let left, let right),
            .product(let left, let right):
            left.parameters + right.parameters
        case .literal, .reference, .path: []
        }
    }
}
