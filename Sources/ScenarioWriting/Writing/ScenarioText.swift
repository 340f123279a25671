import ScenarioWords

/// Writes the parts of a scenario file.
struct ScenarioText {
    let run: RecordedRun
    let cut: RunCut
    let names: ModelNames
    let initial: InitialRows
    let final: FinalRows
    var steps: StepBuilder
    private var lines: [String] = []

    init(
        run: RecordedRun, cut: RunCut, names: ModelNames, initial: InitialRows,
        final: FinalRows, steps: StepBuilder
    ) {
        self.run = run
        self.cut = cut
        self.names = names
        self.initial = initial
        self.final = final
        self.steps = steps
    }

    mutating func made() -> String {
        let used = UsedModel(run.entities, cut, initial, names)
        let setup = SetupText(
            initial: initial, names: names, objectNames: steps.objectNames, used: used
        )
        .lines(&steps.values)
        let observed = ObservedText(
            cut: cut, names: names, initial: initial, final: final, steps: steps
        ).made()
        steps.values = observed.values
        head()
        model(used)
        store()
        contexts()
        if !setup.isEmpty {
            lines += ["", "setup:"] + setup.map { "  - \($0.inSingleQuotes)" }
        }
        blocks()
        sessions()
        lines += observed.lines
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Parts

    private mutating func head() {
        lines.append("name: \(ScenarioName.name(like: run.name, or: "recorded"))")
        lines.append("kind: Recorded")
        lines.append(
            "about: The contexts of a recorded run lose no change, in any order of their steps.")
        lines.append("notes: >-")
        lines.append("  \(run.reason.onOneLine)")
        lines.append("  Steps in the recorded order: \(steps.order.joined(separator: " ")).")
        if run.forgotten > 0 {
            lines.append("  \(run.forgotten) older operations were not recorded.")
        }
        for remark in cut.remarks { lines.append("  \(remark.onOneLine).") }
        if !steps.unsaid.isEmpty {
            lines.append("# \(steps.unsaid.count) operations cannot be expressed in a scenario:")
            lines += steps.unsaid.prefix(200).map { "# - \($0.onOneLine)" }
            if steps.unsaid.count > 200 {
                lines.append("# - and \(steps.unsaid.count - 200) more; see the transcript")
            }
        }
        lines += run.beside.map { "# Outside the contexts: \($0.onOneLine)" }
    }

    private mutating func model(_ used: UsedModel) {
        lines += ["", "model:", "  entities:"]
        for entity in run.entities where used.entities.contains(entity.name) {
            lines += EntityText(entity, used, names).lines(&steps.values)
        }
    }

    private mutating func store() {
        let pins = cut.operations.contains { operation in
            if case .pin = operation.action { return true }
            return false
        }
        // Pinned contexts need a store that keeps earlier states. The default store, a SQLite
        // database in memory, does not.
        if run.store != .sqlite || pins { lines += ["", "store: \(run.store.rawValue)"] }
    }

    /// The indices of the contexts that the file declares. Parents precede their children.
    private var usedContexts: [Int] {
        var used = Set(steps.sessions.indices.filter { !steps.sessions[$0].steps.isEmpty })
        used.formUnion(steps.blocks.values.map(\.context))
        for operation in cut.operations {
            if case .merge(let saver?, _, _) = operation.action { used.insert(saver) }
            if case .merge(_, true, _) = operation.action { used.insert(operation.context) }
            if case .pin(let other?) = operation.action { used.insert(other) }
            if case .mergeByIDs(let targets) = operation.action {
                used.formUnion(targets.compactMap(\.self))
            }
        }
        for index in used {
            var parent = run.contexts[index].parent
            while let above = parent, used.insert(above).inserted {
                parent = run.contexts[above].parent
            }
        }
        return used.sorted { (depth($0), $0) < (depth($1), $1) }
    }

    private func depth(_ index: Int) -> Int {
        var (depth, parent) = (0, run.contexts[index].parent)
        while let above = parent, depth < run.contexts.count {
            depth += 1
            parent = run.contexts[above].parent
        }
        return depth
    }

    private mutating func contexts() {
        if steps.saves.contains(where: { $0.status == "deadlock" }) || !steps.blocks.isEmpty {
            lines += ["", "mode: baton"]
        }
        lines += ["", "contexts:"]
        let used = usedContexts
        let coordinators = Set(used.map { run.contexts[$0].coordinator })
        for index in used {
            let context = run.contexts[index]
            var settings: [String] = []
            if context.isMain { settings.append("queue: main") }
            if let parent = context.parent {
                settings.append("parent: \(steps.sessions[parent].name)")
            } else if coordinators.count > 1 {
                settings.append("coordinator: stack\(context.coordinator + 1)")
            }
            if context.policy != .error { settings.append("policy: \(context.policy.rawValue)") }
            if context.mergesByItself || steps.merging.contains(index) {
                settings.append("automerge: true")
            }
            if context.hasUndo { settings.append("undo: true") }
            if let list = observed(steps.onSave[index]) { settings.append("on-save: \(list)") }
            if let list = observed(steps.waitsOnSave[index]) {
                settings.append("waits-on-save: \(list)")
            }
            lines.append("  \(steps.sessions[index].name): {\(settings.joined(separator: ", "))}")
        }
    }

    /// The blocks of an observer. A block that ran several times is listed once.
    private func observed(_ numbers: [Int]?) -> String? {
        guard let numbers, !numbers.isEmpty else { return nil }
        var told: Set<String> = []
        let names = numbers.compactMap { number -> String? in
            guard let block = steps.blocks[number] else { return nil }
            let key = "\(block.context) \(block.statements.joined(separator: ";"))"
            return told.insert(key).inserted ? block.name : nil
        }
        return "[\(names.joined(separator: ", "))]"
    }

    private mutating func blocks() {
        if steps.blocks.isEmpty { return }
        lines += ["", "blocks:"]
        for number in steps.blockNumbers {
            guard let block = steps.blocks[number] else { continue }
            let words =
                block.statements.isEmpty
                ? "state has-changes" : block.statements.joined(separator: "; ")
            lines.append("  \(block.name):")
            if !block.hasBegun {
                lines.append("    # The block never began: its contents are unknown.")
            }
            lines.append("    context: \(steps.sessions[block.context].name)")
            lines.append("    do: \(words.inSingleQuotes)")
        }
    }

    private mutating func sessions() {
        lines += ["", "sessions:"]
        for session in steps.sessions where !session.steps.isEmpty {
            lines.append("  \(session.name):")
            lines.append("    context: \(session.name)")
            lines.append("    steps:")
            for step in session.steps {
                let words = step.statements.joined(separator: "; ")
                lines.append("      \(step.name): \(words.inSingleQuotes)")
            }
        }
    }
}
