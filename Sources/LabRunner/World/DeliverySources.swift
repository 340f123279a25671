import LabScenario
import LabSchedule

/// Finds the mailboxes of the deliveries (merges and blocks) for which steps wait, and the steps
/// that cause these deliveries. It returns nil if the scenario file does not determine them.
struct DeliverySources {
    let scenario: Scenario
    let pieces: [[[Step]]]
    let contexts: [CellPlan.Context]
    let sessionContexts: [Int]
    let mailboxes: [CellPlan.Mailbox]

    /// The only mailbox that can hold deliveries of this kind, and the steps that cause them.
    ///
    /// Nil in three cases: several mailboxes can hold the deliveries, a block causes them, or a
    /// step turns automatic merging on or off. Also nil if no step causes them.
    func source(
        of kind: DeliveryName.Kind
    ) -> (mailbox: Int, causes: [(lane: Int, position: Int)])? {
        let boxes = mailboxes.indices.filter { mayHold(mailboxes[$0], kind) }
        guard boxes.count == 1, isCausedBySessions(kind) else { return nil }
        let causes = causes { kind.isCaused(by: $0, on: contexts[$1].name, contexts) }
        // If no step in this cell causes the delivery, the delivery never comes. Each schedule then
        // reports this.
        return causes.isEmpty ? nil : (boxes[0], causes)
    }

    private func mayHold(_ mailbox: CellPlan.Mailbox, _ kind: DeliveryName.Kind) -> Bool {
        switch (mailbox, kind) {
        case (.queue(let context), .block(let name)):
            let block = scenario.blocks.first { $0.name.value == name }
            return block?.context.value == contexts[context].name
        case (.queue(let target), .merge(let source, let into)):
            return contexts[target].name == into
                && contexts.indices.contains {
                    contexts[$0].name == source && CellPlan.hears(target, $0, contexts)
                }
        case (.observer(let from, let to), .merge(let source, let into)):
            return contexts[from].name == source && contexts[to].name == into
        case (.observer, .block): return false
        }
    }

    private func isCausedBySessions(_ kind: DeliveryName.Kind) -> Bool {
        let isCausedByBlock = scenario.blocks.contains { block in
            block.step.statements.contains {
                kind.isCaused(by: $0, on: block.context.value, contexts)
            }
        }
        guard !isCausedByBlock, case .merge(_, let target) = kind else { return !isCausedByBlock }
        return !scenario.sessions.contains { session in
            session.context.value == target && session.switchesAutomerge
        }
    }

    private func causes(
        _ isCause: (Statement, Int) -> Bool
    ) -> [(lane: Int, position: Int)] {
        var causes: [(lane: Int, position: Int)] = []
        for (lane, pieces) in pieces.enumerated() {
            for (position, steps) in pieces.enumerated() {
                for statement in steps.flatMap(\.statements)
                where isCause(statement, sessionContexts[lane]) {
                    causes.append((lane, position))
                }
            }
        }
        return causes
    }
}

extension DeliveryName.Kind {
    fileprivate func isCaused(
        by statement: Statement, on context: String, _ contexts: [CellPlan.Context]
    ) -> Bool {
        switch (self, statement.action) {
        case (.merge(let source, _), .context(.save(let form))):
            guard let saver = contexts.firstIndex(where: { $0.name == context }) else {
                return false
            }
            return CellPlan.savers(saver, form, contexts).contains { contexts[$0].name == source }
        case (.block(let name), .stack(.enqueue(let block))): return block.value == name
        case (.block(let name), .context(.save(let form))):
            guard let saver = contexts.firstIndex(where: { $0.name == context }) else {
                return false
            }
            return CellPlan.savers(saver, form, contexts).contains {
                contexts[$0].onSave.contains(name)
            }
        default: return false
        }
    }
}
