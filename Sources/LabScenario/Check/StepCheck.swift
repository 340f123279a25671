/// Checks every statement: its entities, properties and types of values, and whether names are
/// bound before their use. ``ScenarioCheck`` runs it once for a scenario.
struct StepCheck {
    /// The kind of value that a name denotes.
    enum Binding {
        /// An object or a list of objects; the entity is nil if it is known only at run time.
        case object(entity: String?)
        case value
    }

    let scenario: Scenario
    let shape: ModelShape
    let problems: ProblemList
    let setupNames: [String: Binding]
    /// For each context, the names that its sessions and blocks bind.
    let contextNames: [String: [String: Binding]]

    init(scenario: Scenario, shape: ModelShape, problems: ProblemList) {
        self.scenario = scenario
        self.shape = shape
        self.problems = problems
        setupNames = Self.bindings(scenario.setup.flatMap(\.statements))
        var names: [String: [String: Binding]] = [:]
        for session in scenario.sessions {
            let bound = Self.bindings(session.steps.flatMap(\.statements))
            names[session.context.value, default: [:]].merge(bound) { first, _ in first }
        }
        for block in scenario.blocks {
            let bound = Self.bindings(block.step.statements)
            names[block.context.value, default: [:]].merge(bound) { first, _ in first }
        }
        contextNames = names
    }

    var stepNames: [String] {
        scenario.sessions.flatMap { $0.steps.map(\.name.value) } + scenario.blocks.map(\.name.value)
    }

    var valueNames: [String] {
        contextNames.values.flatMap { $0.keys }.sorted()
    }

    func run() {
        var names: [String: Binding] = [:]
        for statement in scenario.setup.flatMap(\.statements) {
            checkSetup(statement)
            check(statement, names: &names, context: nil)
        }
        for session in scenario.sessions {
            // Other sessions of the same context may bind their names at any time.
            var names = setupNames
            let own = Set(Self.bindings(session.steps.flatMap(\.statements)).keys)
            for (name, binding) in contextNames[session.context.value] ?? [:]
            where !own.contains(name) || boundElsewhere(name, than: session) {
                names[name] = binding
            }
            for statement in session.steps.flatMap(\.statements) {
                check(statement, names: &names, context: session.context.value)
            }
        }
        for block in scenario.blocks {
            var names = setupNames.merging(contextNames[block.context.value] ?? [:]) { $1 }
            for statement in block.step.statements {
                check(statement, names: &names, context: block.context.value)
            }
        }
    }

    private func boundElsewhere(_ name: String, than session: SessionSpec) -> Bool {
        scenario.sessions.contains { other in
            other.name != session.name && other.context.value == session.context.value
                && Self.bindings(other.steps.flatMap(\.statements))[name] != nil
        }
    }

    private static func bindings(_ statements: [Statement]) -> [String: Binding] {
        var names: [String: Binding] = [:]
        for statement in statements {
            guard let (name, binding) = statement.action.binding else { continue }
            names[name.value] = binding
        }
        return names
    }
}
