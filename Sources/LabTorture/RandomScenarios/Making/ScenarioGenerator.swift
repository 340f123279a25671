import LabScenario

/// Generates the scenario of an attempt. The same seed and attempt yield the same scenario on every
/// machine.
///
/// Consecutive attempts share a model, because creating a model takes longer than running a
/// scenario.
struct ScenarioGenerator {
    static let attemptsOfModel = 100

    let entities: [ScenarioDraft.Entity]
    let shape: ModelShape
    private let view: ModelView

    static func modelNumber(of attempt: Int) -> Int { attempt / attemptsOfModel }

    /// - Throws: an error if the generated model is invalid, which is a fault of the generator.
    init(modelNumber: Int, seed: UInt64) throws(ScenarioProblems) {
        entities = ModelGenerator.make(Dice(seed: seed, modelNumber, salt: 1))
        shape = try ScenarioDraft(entities: entities).shape()
        view = ModelView(shape)
    }

    /// - Parameter mode: the mode of the scenario; nil for a random mode.
    func draft(_ attempt: Int, seed: UInt64, mode: String? = nil) -> ScenarioDraft {
        var dice = Dice(seed: seed, attempt, salt: 2)
        var draft = ScenarioDraft(entities: entities)
        let purpose = Self.purpose(&dice)
        draft.contexts =
            StackGenerator(purpose: purpose, entities: view.entities).make(&dice).contexts
        draft.mode = purpose == .serial ? "inline" : Self.mode(&dice)
        if let mode { draft.mode = mode }
        if draft.mode == "threads" { StackGenerator.untangleMain(&draft.contexts) }
        let needsFile = purpose == .stacks || purpose == .anything && dice.chance(4)
        if needsFile { draft.store = "sqlite" }
        if needsFile, dice.chance(30) { draft.journal = "delete" }
        let setup = makeSetup(&draft, &dice)
        let banned = Self.banned(purpose, draft)
        makeBlock(&draft, banned, setup, &dice)
        makeSessions(&draft, purpose, banned, setup, &dice)
        makeOrders(&draft, &dice)
        draft.observe = observations()
        return draft
    }

    private static func purpose(_ dice: inout Dice) -> StackGenerator.Purpose {
        dice.pick(weighted: [(.anything, 47), (.soleWriter, 33), (.serial, 18), (.stacks, 2)])
    }

    private static func mode(_ dice: inout Dice) -> String {
        dice.pick(weighted: [("inline", 92), ("baton", 6), ("threads", 2)])
    }

    private static func banned(
        _ purpose: StackGenerator.Purpose, _ draft: ScenarioDraft
    ) -> Set<Verb> {
        var banned: Set<Verb> = []
        let batches: Set<Verb> = [.batchInsert, .batchUpdate, .batchDelete]
        if draft.store != "sqlite" { banned.formUnion([.outside, .migrate, .pin]) }
        if draft.mode == "threads" {
            banned.formUnion(batches)
            banned.formUnion([.outside, .migrate, .removeStore, .fail])
            banned.formUnion([.history, .historyToken, .mergeHistory])
        }
        if draft.mode != "inline" { banned.insert(.removeStore) }
        if purpose == .soleWriter { banned.formUnion(batches.union([.fail, .removeStore])) }
        if !draft.contexts.contains(where: \.automerge) { banned.insert(.automerge) }
        if purpose == .serial { banned.formUnion(Set(Verb.allCases).subtracting(serialVerbs)) }
        return banned
    }

    static let serialVerbs: Set<Verb> = [
        .insert, .set, .relate, .unrelate, .delete, .save, .rollback, .processPending, .refresh,
        .read, .fire,
    ]

    // MARK: Rows

    private func makeSetup(
        _ draft: inout ScenarioDraft, _ dice: inout Dice
    ) -> [StepGenerator.Named] {
        var names: [StepGenerator.Named] = []
        let concrete = view.entities.filter { !$0.isAbstract }
        for number in 1...dice.number(1...4) {
            guard let entity = dice.pick(concrete) else { break }
            var parts: [String] = []
            for attribute in entity.attributes where attribute.isRequired || dice.chance(60) {
                let value = Values.literal(of: attribute.type, &dice)
                parts.append("\(attribute.name) = \(attribute.name == "n" ? "\(number)" : value)")
            }
            let rest = parts.isEmpty ? "" : " with " + parts.joined(separator: ", ")
            draft.setup.append("insert \(entity.name) as o\(number)\(rest)")
            names.append(("o\(number)", entity.name))
        }
        relate(names, &draft, &dice)
        return names
    }

    private func relate(
        _ names: [StepGenerator.Named], _ draft: inout ScenarioDraft, _ dice: inout Dice
    ) {
        for (name, entity) in names {
            for key in view.entity(entity)?.relationships ?? []
            where key.isRequired || dice.chance(35) {
                let fitting = names.filter { view.isKind($0.entity, of: key.destination) }
                guard let other = dice.pick(fitting) else { continue }
                draft.setup.append("relate \(name).\(key.name) to \(other.name)")
            }
        }
    }

    // MARK: Steps

    private func makeBlock(
        _ draft: inout ScenarioDraft, _ banned: Set<Verb>, _ setup: [StepGenerator.Named],
        _ dice: inout Dice
    ) {
        guard !banned.contains(.enqueue), dice.chance(15),
            let context = dice.pick(draft.contexts)
        else { return }
        // A block that waits for itself would never end.
        var steps = StepGenerator(
            model: view, contexts: draft.contexts, context: context, blocks: [],
            banned: banned.union([.save, .saveChain]), setup: setup, prefix: "k")
        var statements = (0..<dice.number(1...2)).map { _ in steps.statement(&dice) }
        if dice.chance(60) { statements.append("save") }
        draft.blocks = [
            .init(context: context.name, step: .init(name: "blk", statements: statements))
        ]
        if dice.chance(30), let saver = dice.pick(Array(draft.contexts.indices)) {
            draft.contexts[saver].onSave = ["blk"]
        }
    }

    private func makeSessions(
        _ draft: inout ScenarioDraft, _ purpose: StackGenerator.Purpose, _ banned: Set<Verb>,
        _ setup: [StepGenerator.Named], _ dice: inout Dice
    ) {
        var order = draft.contexts
        if purpose != .serial, order.count > 1, dice.chance(40) {
            let last = order.removeLast()
            order.insert(last, at: 0)
        }
        let count = purpose == .serial ? 2 : dice.pick(weighted: [(1, 15), (2, 70), (3, 15)])
        for number in 0..<count {
            let context = order[number % order.count]
            let letter = ["a", "b", "c"][number]
            var generator = StepGenerator(
                model: view, contexts: draft.contexts, context: context,
                blocks: draft.blocks.map(\.step.name), banned: banned, setup: setup,
                prefix: letter + "x")
            let steps = makeSteps(letter, &generator, sessions: count, &dice)
            draft.sessions.append(.init(name: "s\(letter)", context: context.name, steps: steps))
        }
    }

    private func makeSteps(
        _ letter: String, _ generator: inout StepGenerator, sessions: Int, _ dice: inout Dice
    ) -> [ScenarioDraft.Line] {
        let most = sessions == 1 ? 6 : sessions == 2 ? 3 : 2
        let count = dice.chance(4) ? 5 : dice.number(1...most)
        var steps: [ScenarioDraft.Line] = []
        for number in 1...count {
            var statements = [generator.statement(&dice)]
            while statements.count < 3, dice.chance(40) {
                statements.append(generator.statement(&dice))
            }
            if number == count, dice.chance(80) {
                let isChain = generator.context.parent != nil && dice.chance(65)
                statements.append(isChain ? "save-chain" : "save")
            }
            steps.append(.init(name: "\(letter)\(number)", statements: statements))
        }
        return steps
    }

    private func makeOrders(_ draft: inout ScenarioDraft, _ dice: inout Dice) {
        guard draft.mode != "threads", draft.sessions.count > 1 else { return }
        if dice.chance(5) { draft.after = ["b1 requires a1"] }
        if dice.chance(5), draft.sessions[0].steps.count > 1 { draft.atomic = ["a1 a2"] }
    }

    /// Observations that show the rows in a report.
    private func observations() -> [ScenarioDraft.Property] {
        view.entities.filter { $0.parent == nil }.flatMap { entity in
            [
                .init(name: "rows-of-\(entity.name)", line: "count \(entity.name)"),
                .init(name: "n-of-\(entity.name)", line: "read \(entity.name).n"),
            ]
        }
    }
}
