extension ScenarioCheck {
    func checkTopology() {
        if scenario.contexts.isEmpty {
            problems.add(
                "the scenario has no contexts", at: .start,
                instead: "write 'contexts:', or 'topology: siblings'")
        }
        for context in scenario.contexts {
            for block in context.observingBlocks {
                let known = scenario.blocks.map(\.name.value)
                if !known.contains(block.value) { unknown(block, "block", among: known) }
            }
        }
        guard case .parameter(let name) = scenario.topology,
            let axis = scenario.matrix.first(where: { $0.name.value == name.value })
        else { return }
        for value in axis.values {
            let text = MatrixCell.Value(name: name.value, value: value.value).text
            guard Topology(rawValue: text) != nil else {
                unknown(
                    Located(text, at: value.position), "topology",
                    among: Topology.allCases.map(\.rawValue))
                continue
            }
            let cell = MatrixCell(values: [.init(name: name.value, value: value.value)])
            let known = scenario.contexts(in: cell).map(\.name.value)
            for session in scenario.sessions where !known.contains(session.context.value) {
                problems.add(
                    "the topology '\(text)' has no context '\(session.context.value)'",
                    at: value.position, instead: "leave it out of the axis")
            }
        }
    }

    func checkGluedSteps() {
        for glued in scenario.atomic {
            let session = scenario.sessions.first { session in
                session.steps.contains { $0.name.value == glued.value.first }
            }
            let names = session?.steps.map(\.name.value) ?? []
            let steps = scenario.sessions.flatMap { $0.steps.map(\.name.value) }
            for name in glued.value where !steps.contains(name) {
                return unknown(Located(name, at: glued.position), "step", among: steps)
            }
            guard let first = glued.value.first, let start = names.firstIndex(of: first),
                glued.value.count > 1,
                Array(names.dropFirst(start).prefix(glued.value.count)) == glued.value
            else {
                problems.add(
                    "these steps do not follow each other in one session", at: glued.position,
                    instead: "name two or more steps of a session in their order")
                continue
            }
        }
        for pin in scenario.pinned { checkSchedule(pin.steps, at: pin.name.position) }
        for statement in allStatements {
            guard case .setting(.policy(let setting)) = statement.action else { continue }
            for policy in settingValues(
                setting, text: { Located(PolicyName($0.text), at: $1) })
            {
                checkPolicy(policy)
            }
        }
    }

    private var allStatements: [Statement] {
        let steps = scenario.sessions.flatMap(\.steps) + scenario.blocks.map(\.step)
        return steps.flatMap(\.statements)
    }
}
