import LabScenario

/// Generates the contexts of a scenario, with their parents, merge policies and merging.
struct StackGenerator {
    /// The arrangement of the contexts. Tests check that each case occurs.
    enum Topology: CaseIterable {
        case lone, siblings, children, parentChild, writerMainChild, ownStacks, grandchildren
        case document
    }

    /// The check for which the contexts are generated.
    enum Purpose {
        case anything
        case soleWriter
        case serial
        /// The contexts use separate coordinators on one file.
        case stacks
    }

    let purpose: Purpose
    let entities: [ModelView.Entity]

    func make(_ dice: inout Dice) -> (topology: Topology, contexts: [ScenarioDraft.Context]) {
        let topology = choose(&dice)
        var contexts = Self.contexts(topology)
        for index in contexts.indices { set(&contexts, index, &dice) }
        return (topology, contexts)
    }

    private func choose(_ dice: inout Dice) -> Topology {
        switch purpose {
        case .stacks: .ownStacks
        case .serial: .siblings
        case .soleWriter:
            dice.pick(
                weighted: [
                    (.lone, 40), (.parentChild, 30), (.children, 15), (.writerMainChild, 10),
                    (.grandchildren, 3), (.document, 2),
                ])
        case .anything:
            dice.pick(
                weighted: [
                    (.siblings, 40), (.parentChild, 20), (.children, 15), (.lone, 10),
                    (.writerMainChild, 10), (.grandchildren, 3), (.document, 2),
                ])
        }
    }

    private static func contexts(_ topology: Topology) -> [ScenarioDraft.Context] {
        switch topology {
        case .lone: [.init(name: "A")]
        case .siblings: [.init(name: "A"), .init(name: "B")]
        case .children:
            [
                .init(name: "M", isMain: true), .init(name: "A", parent: "M"),
                .init(name: "B", parent: "M"),
            ]
        case .parentChild: [.init(name: "M", isMain: true), .init(name: "C", parent: "M")]
        case .writerMainChild:
            [
                .init(name: "W"), .init(name: "M", isMain: true, parent: "W"),
                .init(name: "C", parent: "M"),
            ]
        case .document:
            [
                .init(name: "W"), .init(name: "M", isMain: true, parent: "W"),
                .init(name: "I", parent: "W"),
            ]
        case .ownStacks: [.init(name: "A"), .init(name: "B", coordinator: "second")]
        case .grandchildren:
            [
                .init(name: "W"), .init(name: "A", parent: "W"), .init(name: "B", parent: "W"),
                .init(name: "C", parent: "A"),
            ]
        }
    }

    /// In some stacks, a save on the main thread and a save on a private queue would wait for each
    /// other. These stacks have a private-queue context between two main-queue contexts. Makes the
    /// lower main-queue context a private-queue context. See the list in ``AllowedDifference``.
    static func untangleMain(_ contexts: inout [ScenarioDraft.Context]) {
        for index in contexts.indices where contexts[index].isMain {
            var isBelowPrivate = false
            var next = contexts[index].parent
            while let parent = contexts.first(where: { $0.name == next }) {
                if parent.isMain, isBelowPrivate { contexts[index].isMain = false }
                isBelowPrivate = isBelowPrivate || !parent.isMain
                next = parent.parent
            }
        }
    }

    private func set(
        _ contexts: inout [ScenarioDraft.Context], _ index: Int, _ dice: inout Dice
    ) {
        contexts[index].policy = policy(&dice)
        if dice.chance(25) { contexts[index].automerge = true }
        if dice.chance(10) { contexts[index].isMain = !contexts[index].isMain }
        if dice.chance(15) { contexts[index].undo = true }
        let others = contexts.map(\.name).filter { $0 != contexts[index].name }
        if dice.chance(15), let other = dice.pick(others) { contexts[index].mergesFrom = [other] }
    }

    func policy(_ dice: inout Dice) -> String {
        if dice.chance(4) { return dice.chance(50) ? "backfill-nils" : "backfill-peers" }
        if dice.chance(3) { return "newest n" }
        if dice.chance(4), let rule = recount(&dice) { return rule }
        return dice.chance(25) ? "error" : dice.pick(PolicyName.builtIn) ?? "error"
    }

    private func recount(_ dice: inout Dice) -> String? {
        let owners = entities.filter { entity in
            entity.relationships.contains { $0.arity != .one }
        }
        guard let owner = dice.pick(owners),
            let relationship = dice.pick(owner.relationships.filter { $0.arity != .one })
        else { return nil }
        return "recount \(owner.name).n from \(relationship.name)"
    }
}
