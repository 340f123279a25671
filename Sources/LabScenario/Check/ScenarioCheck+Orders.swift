/// Checks the required orders between steps, and between steps and deliveries.
extension ScenarioCheck {
    func checkOrders() {
        let steps = scenario.sessions.flatMap { $0.steps.map(\.name.value) }
        for after in scenario.after {
            if !steps.contains(after.step.value) { unknown(after.step, "step", among: steps) }
            switch after.requires {
            case .step(let name):
                if !steps.contains(name.value) {
                    unknown(name, "step", among: steps + deliveries.names)
                }
            case .delivery(let name):
                if !deliveries.contain(name.value) {
                    unknown(
                        Located(name.value.description, at: name.position), "delivery",
                        among: deliveries.names)
                }
            }
        }
    }

    private var deliveries: PossibleDeliveries {
        var found = PossibleDeliveries()
        for context in scenario.contexts {
            for source in possibleSources(ofMergesInto: context) {
                let kind = DeliveryName.Kind.merge(from: source, into: context.name.value)
                found.add(kind, most: countOfSaves(of: source))
            }
        }
        for block in scenario.blocks {
            found.add(.block(block.name.value), most: countOfTurns(of: block.name.value))
        }
        return found
    }

    /// The contexts whose saves an observer or automatic merging may merge into `context`.
    private func possibleSources(ofMergesInto context: ContextSpec) -> [String] {
        var sources = sources(ofMergesInto: context).map(\.value)
        guard mayMergeAutomatically(context) else { return sources }
        let parents = possibleParents(of: context)
        for other in scenario.contexts
        where other.name.value != context.name.value && !sources.contains(other.name.value) {
            let isBeside =
                parents.contains(nil) && possibleParents(of: other).contains(nil)
                && other.coordinator?.value == context.coordinator?.value
            if isBeside || parents.contains(other.name.value) { sources.append(other.name.value) }
        }
        return sources
    }

    private func mayMergeAutomatically(_ context: ContextSpec) -> Bool {
        if settingValues(context.automerge, text: { value, _ in value.text == "true" })
            .contains(true)
        {
            return true
        }
        return scenario.sessions.contains { session in
            session.context.value == context.name.value
                && session.steps.flatMap(\.statements).contains {
                    if case .setting(.automerge) = $0.action { true } else { false }
                }
        }
    }

    /// The names of the parents that a context may have; nil for a coordinator.
    private func possibleParents(of context: ContextSpec) -> Set<String?> {
        var parents: Set<String?> = []
        if let parent = context.parent {
            for name in settingValues(parent, text: { Located($0.text, at: $1) }) {
                parents.insert(name.value == "store" ? nil : name.value)
            }
        } else {
            parents.insert(nil)
        }
        // If the topology is a parameter, the context may have another parent in another topology.
        if case .parameter = scenario.topology {
            for other in Topology.allCases.flatMap(\.contexts)
            where other.name.value == context.name.value {
                if case .value(let name)? = other.parent { parents.insert(name.value) }
            }
        }
        return parents
    }

    /// The maximum number of saves of a context. Nil if a block saves it, because blocks may run
    /// repeatedly.
    private func countOfSaves(of context: String) -> Int? {
        func saves(_ steps: [Step], on saver: String) -> Int {
            steps.flatMap(\.statements).count { statement in
                guard case .context(.save(let form)) = statement.action else { return false }
                return saver == context || form.isChain
            }
        }
        let inBlocks = scenario.blocks.reduce(0) { $0 + saves([$1.step], on: $1.context.value) }
        if inBlocks > 0 { return nil }
        return scenario.sessions.reduce(0) { $0 + saves($1.steps, on: $1.context.value) }
    }

    /// The maximum number of times a block is enqueued; nil if blocks or saves enqueue it.
    private func countOfTurns(of block: String) -> Int? {
        func enqueues(_ steps: [Step]) -> Int {
            steps.flatMap(\.statements).count { statement in
                guard case .stack(.enqueue(let name)) = statement.action else { return false }
                return name.value == block
            }
        }
        let isObserver = scenario.contexts.contains { $0.onSave.contains { $0.value == block } }
        if isObserver || enqueues(scenario.blocks.map(\.step)) > 0 { return nil }
        return enqueues(scenario.sessions.flatMap(\.steps))
    }
}

/// The deliveries that a step may require, each with its maximum number of occurrences.
private struct PossibleDeliveries {
    private var kinds: [(kind: DeliveryName.Kind, most: Int?)] = []

    mutating func add(_ kind: DeliveryName.Kind, most: Int?) {
        if most != 0 { kinds.append((kind, most)) }
    }

    func contain(_ name: DeliveryName) -> Bool {
        kinds.contains { $0.kind == name.kind && $0.most.map { name.number <= $0 } ?? true }
    }

    /// At most two names of each kind, for messages.
    var names: [String] {
        kinds.flatMap { kind, most in
            (1...min(2, most ?? 1)).map { DeliveryName(kind, number: $0).description }
        }
    }
}
