/// Rejects features that `mode: threads` does not support: a chosen order of steps, and a history
/// of all steps.
extension ScenarioCheck {
    func checkThreads() {
        guard scenario.mode == .threads else { return }
        for after in scenario.after { refuse("'after'", at: after.step.position) }
        for glued in scenario.atomic { refuse("'atomic'", at: glued.position) }
        for schedule in scenario.schedules { refuse("'schedules'", at: schedule.position) }
        for context in scenario.contexts {
            for block in context.waitsOnSave + context.waitsOnChange {
                refuse("an observer that waits", at: block.position)
            }
        }
        if scenario.explore.preemptions != nil {
            refuse("'preemptions'", at: scenario.explore.position)
        }
        for pin in scenario.pinned { refuse("'pinned'", at: pin.name.position) }
        for invariant in scenario.invariants { refuse("'invariants'", at: invariant.position) }
        for outcome in scenario.outcomes where outcome.finding != nil {
            refuse("an outcome's 'finding'", at: outcome.position)
        }
        for observation in scenario.observations {
            if case .cost = observation.source { refuse("a cost", at: observation.position) }
        }
        let steps = scenario.sessions.flatMap(\.steps) + scenario.blocks.map(\.step)
        for statement in steps.flatMap(\.statements) {
            if let verb = Self.unthreaded(statement.action) {
                refuse(verb, at: statement.position)
            }
        }
    }

    private func refuse(_ what: String, at position: SourcePosition) {
        problems.add(
            "\(what) needs a known order of steps, which real threads do not have", at: position,
            instead: "remove it, or write 'mode: inline'")
    }

    /// Finds statements that read or change the store without the engine.
    private static func unthreaded(_ action: Action) -> String? {
        switch action {
        case .batch: "a batch"
        case .stack(let action): unthreaded(action)
        case _ where action.usesHistory: "the store's history"
        case .object, .context, .list, .look, .setting: nil
        }
    }

    private static func unthreaded(_ action: StackAction) -> String? {
        switch action {
        case .migrate: "'migrate'"
        case .outside: "'outside'"
        case .removeStore: "'remove-store'"
        case .fail: "'fail'"
        case .enqueue, .wait: nil
        }
    }
}
