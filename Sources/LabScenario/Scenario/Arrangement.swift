/// An alternative arrangement of a scenario's contexts, with the same sessions, steps and policies.
/// The matrix runs the scenario in each arrangement. It shows how the topology affects a bug.
package enum Arrangement: String, Sendable, CaseIterable {
    case asWritten = "as written"
    /// Each context has its own coordinator on one file, like an app and its extension.
    case ownStacks = "a stack for each context"
    /// All contexts are children of one context on the main queue, and save through it into the
    /// store.
    case children = "children of one context"

    /// The scenario in this arrangement. Nil if the arrangement would change the scenario's
    /// meaning. For example, the scenario already has parents or several coordinators.
    package func applied(to scenario: Scenario) -> Scenario? {
        switch self {
        case .asWritten: scenario
        case .ownStacks:
            Self.isFlat(scenario) && Self.requiresSteps(scenario) ? withStacks(scenario) : nil
        case .children: Self.isFlat(scenario) && Self.isSilent(scenario) ? below(scenario) : nil
        }
    }

    private static func isFlat(_ scenario: Scenario) -> Bool {
        scenario.topology == nil && scenario.contexts.count > 1
            && scenario.contexts.allSatisfy { $0.parent == nil && $0.coordinator == nil }
    }

    /// Whether no step waits for a delivery. With separate coordinators, a merge may never be
    /// delivered.
    private static func requiresSteps(_ scenario: Scenario) -> Bool {
        scenario.after.allSatisfy { after in
            if case .step = after.requires { true } else { false }
        }
    }

    /// Whether no context merges or observes the saves of another context.
    private static func isSilent(_ scenario: Scenario) -> Bool {
        scenario.contexts.allSatisfy { context in
            guard case .value(false) = context.automerge else { return false }
            return context.mergesFrom.isEmpty && context.observingBlocks.isEmpty
        }
    }

    private func withStacks(_ scenario: Scenario) -> Scenario {
        var changed = scenario
        for index in changed.contexts.indices.dropFirst() {
            changed.contexts[index].coordinator = Located("stack\(index + 1)")
        }
        return changed
    }

    private func below(_ scenario: Scenario) -> Scenario {
        var changed = scenario
        let name = "parent-of-all"
        let parent = ContextSpec(
            name: Located(name), queue: .value(.main), policy: scenario.contexts[0].policy)
        for index in changed.contexts.indices {
            changed.contexts[index].parent = .value(Located(name))
        }
        changed.contexts.insert(parent, at: 0)
        for session in changed.sessions.indices {
            changed.sessions[session].steps = changed.sessions[session].steps.map(\.savingUpwards)
        }
        return changed
    }
}

extension Step {
    /// The step, with each save extended to all ancestors of the context.
    fileprivate var savingUpwards: Step {
        Step(
            name: name, text: text,
            statements: statements.map { statement in
                guard case .context(.save(let form)) = statement.action else { return statement }
                return Statement(
                    position: statement.position, text: statement.text,
                    condition: statement.condition, isOffQueue: statement.isOffQueue,
                    isUnchecked: statement.isUnchecked,
                    action: .context(.save(SaveForm(isChain: true, expected: form.expected))))
            })
    }
}
