/// Decodes a scenario from a tree whose structure has been checked. For each cure (a corrected
/// variant), the same tree is decoded again, with some keys replaced.
struct ScenarioDecoder {
    var problems: ProblemList
    let hash: String
    var cure: String?

    func scenario(_ tree: Tree) -> Scenario {
        var scenario = Scenario(
            name: text(tree["name"]), about: text(tree["about"]), kind: tree["kind"]?.text?.value,
            bug: tree["bug"]?.text?.value, refs: tree["refs"]?.list?.compactMap(\.text) ?? [],
            notes: tree["notes"]?.text?.value, file: problems.file, hash: hash, cure: cure,
            model: model(tree["model"]), store: store(tree["store"]),
            contexts: tree["contexts"]?.map?.map(context) ?? [],
            matrix: tree["matrix"]?.map?.map(axis) ?? [],
            setup: setup(tree["setup"]), sessions: tree["sessions"]?.map?.map(session) ?? [],
            blocks: tree["blocks"]?.map?.map(block) ?? [],
            after: tree["after"]?.list?.compactMap(after) ?? [],
            schedules: tree["schedules"]?.list?.map(schedule) ?? [],
            explore: explore(tree["explore"]),
            observations: tree["observe"]?.map?.compactMap(observation) ?? [],
            headline: texts(tree["headline"]),
            outcomes: tree["outcomes"]?.list?.map(outcome) ?? [])
        scenario.pending = tree["pending"]?.text
        scenario.mode = tree["mode"]?.text.flatMap { ScheduleMode(rawValue: $0.value) } ?? .inline
        scenario.atomic = tree["atomic"]?.list?.map(schedule) ?? []
        scenario.quirk = setting(tree["quirk"], .none) { Quirk(rawValue: $0.value) }
        scenario.invariants = (tree["invariants"]?.list ?? []).compactMap { item in
            item.text.flatMap { text in
                Invariant(rawValue: text.value).map { Located($0, at: text.position) }
            }
        }
        scenario.pinned = (cure == nil ? tree["pinned"]?.map ?? [] : []).map {
            PinnedSpec(name: $0.key, steps: schedule($0.value).value)
        }
        readTopology(tree["topology"], into: &scenario)
        if cure == nil {
            scenario.cures = cures(of: tree)
            // A parameter that only cures use is not an axis of the scenario's own matrix.
            let used = ParameterUse.names(in: scenario)
            let curesUse = scenario.cures.flatMap(\.matrix).map(\.name.value)
            scenario.matrix.removeAll {
                curesUse.contains($0.name.value) && !used.contains($0.name.value)
            }
        }
        return scenario
    }

    private func readTopology(_ tree: Tree?, into scenario: inout Scenario) {
        guard let tree else { return }
        let standard = Located(Topology.siblings, at: tree.position)
        let read = setting(tree, standard) { text in
            Topology(rawValue: text.value).map { Located($0, at: text.position) }
        }
        scenario.topology = read
        var first = standard.value
        switch read {
        case .value(let value): first = value.value
        case .parameter(let name):
            let axis = scenario.matrix.first { $0.name.value == name.value }
            if case .text(let text) = axis?.values.first?.value {
                first = Topology(rawValue: text) ?? first
            }
        }
        let written = scenario.contexts
        var made = first.contexts.map { own in
            written.first { $0.name.value == own.name.value }.map { $0.laid(over: own) } ?? own
        }
        made += written.filter { context in
            !made.contains { $0.name.value == context.name.value }
        }
        scenario.contexts = made
    }

    private func cures(of tree: Tree) -> [Scenario] {
        (tree["cures"]?.map ?? []).map { entry in
            var decoder = self
            decoder.cure = entry.key.value
            let own = ProblemList(file: problems.file)
            decoder.problems = own
            var cured = decoder.scenario(CureOverlay.apply(entry.value, to: tree, problems: own))
            cured.place = CurePlace(name: entry.key, lastLine: entry.value.lastLine)
            problems.add(own, of: cured.place)
            // A parameter that the cure no longer uses is not an axis of the cure's matrix.
            let used = ParameterUse.names(in: cured)
            cured.matrix.removeAll { !used.contains($0.name.value) }
            return cured
        }
    }

    func text(_ tree: Tree?) -> String { tree?.text?.value ?? "" }

    /// Runs a one-line parser. If the parser fails, records a problem.
    func line<Value>(_ tree: Tree, _ parse: (Tree.Scalar) throws(LineFailure) -> Value) -> Value? {
        guard let scalar = tree.scalar else { return nil }
        do {
            return try parse(scalar)
        } catch {
            problems.add(
                error.what, at: error.position,
                instead: Self.isCut(scalar, error)
                    ? "\(error.instead) — \(ShapeCheck.commaRule)" : error.instead)
            return nil
        }
    }

    private static func isCut(_ scalar: Tree.Scalar, _ failure: LineFailure) -> Bool {
        guard let place = scalar.placeInBrackets else { return false }
        let isRest = place > 0 && failure.position <= scalar.origin.position(of: 0)
        return isRest || scalar.text.count { $0 == "'" || $0 == "\"" } % 2 == 1
    }

    func setting<Value>(
        _ tree: Tree?, _ standard: Value, _ convert: (Located<String>) -> Value?
    ) -> Setting<Value> {
        guard let text = tree?.text else { return .value(standard) }
        return Setting(text) { convert($0) ?? standard }
    }
}

// MARK: The model

extension ScenarioDecoder {
    private func model(_ tree: Tree?) -> ModelSource {
        guard let tree else { return .inline(ModelShape(entities: [])) }
        if let path = tree["path"]?.text {
            if let entities = tree["entities"] {
                problems.add(
                    "the model has both 'path' and 'entities'", at: entities.position,
                    instead: "keep one of them")
            }
            return .file(path: path, version: tree["version"]?.text)
        }
        guard let entities = tree["entities"]?.map, !entities.isEmpty else {
            problems.add(
                "the model has no entities", at: tree.position,
                instead: "write 'entities:' or 'path:' under 'model:'")
            return .inline(ModelShape(entities: []))
        }
        return .inline(ModelShape(entities: entities.map(entity)))
    }

    private func entity(_ entry: Tree.Entry) -> EntityShape {
        let attributes = (entry.value["attributes"]?.map ?? []).compactMap { entry in
            line(entry.value) { scalar throws(LineFailure) in
                try PropertyLines.attribute(named: entry.key, scalar)
            }
        }
        let relationships = (entry.value["relationships"]?.map ?? []).compactMap { entry in
            line(entry.value) { scalar throws(LineFailure) in
                try PropertyLines.relationship(named: entry.key, scalar)
            }
        }
        let unique = (entry.value["unique"]?.list ?? []).map { constraint in
            (constraint.list ?? [constraint]).compactMap(\.text)
        }
        var shape = EntityShape(
            name: entry.key, parent: entry.value["parent"]?.text,
            isAbstract: entry.value["abstract"]?.text?.value == "true",
            properties: attributes + relationships, unique: unique)
        shape.onDelete = entry.value["on-delete"]?.text
        return shape
    }

    private func store(_ tree: Tree?) -> StoreSpec {
        guard let tree else { return StoreSpec() }
        var spec = StoreSpec(position: tree.position)
        let kind = tree.scalar == nil ? tree["kind"] : tree
        spec.copyOf = tree["copy-of"]?.text
        spec.kind = setting(kind, spec.copyOf == nil ? .image : .file) {
            StoreSpec.Kind(rawValue: $0.value)
        }
        spec.journal = setting(tree["journal"], .wal) { StoreSpec.Journal(rawValue: $0.value) }
        return spec
    }

    private func context(_ entry: Tree.Entry) -> ContextSpec {
        var spec = ContextSpec(name: entry.key)
        let tree = entry.value
        spec.queue = setting(tree["queue"], .private) { ContextSpec.Queue(rawValue: $0.value) }
        if let parent = tree["parent"] {
            spec.parent = setting(parent, Located("", at: parent.position)) { $0 }
        }
        spec.coordinator = tree["coordinator"]?.text
        spec.policy = setting(tree["policy"], Located(PolicyName("error"))) {
            Located(PolicyName($0.value), at: $0.position)
        }
        spec.automerge = setting(tree["automerge"], false) { $0.value == "true" }
        spec.mergesFrom = texts(tree["merges-from"]).map { Setting($0) { $0 } }
        spec.onSave = texts(tree["on-save"])
        spec.waitsOnSave = texts(tree["waits-on-save"])
        spec.waitsOnChange = texts(tree["waits-on-change"])
        spec.undo = setting(tree["undo"], false) { $0.value == "true" }
        return spec
    }

    private func texts(_ tree: Tree?) -> [Located<String>] {
        guard let tree else { return [] }
        return (tree.list ?? [tree]).compactMap(\.text)
    }

    private func axis(_ entry: Tree.Entry) -> MatrixAxis {
        MatrixAxis(name: entry.key, values: (entry.value.list ?? []).compactMap(literal))
    }

    func literal(_ tree: Tree) -> Located<Literal>? {
        guard let scalar = tree.scalar, let text = tree.text else { return nil }
        return Located(
            scalar.isPlain ? Literal(plain: text.value) : .text(text.value), at: text.position)
    }
}

// MARK: Steps and outcomes

extension ScenarioDecoder {
    private func statements(_ tree: Tree) -> [Statement]? {
        line(tree) { scalar throws(LineFailure) in
            var parser = StepParser(scalar)
            return try parser.statements()
        }
    }

    private func step(named name: Located<String>, _ tree: Tree) -> Step {
        Step(name: name, text: text(tree), statements: statements(tree) ?? [])
    }

    private func setup(_ tree: Tree?) -> [Step] {
        (tree?.list ?? []).enumerated().map { index, tree in
            step(named: Located("setup\(index + 1)", at: tree.position), tree)
        }
    }

    private func session(_ entry: Tree.Entry) -> SessionSpec {
        SessionSpec(
            name: entry.key,
            context: entry.value["context"]?.text ?? Located("", at: entry.key.position),
            steps: (entry.value["steps"]?.map ?? []).map { step(named: $0.key, $0.value) })
    }

    private func block(_ entry: Tree.Entry) -> BlockSpec {
        BlockSpec(
            name: entry.key,
            context: entry.value["context"]?.text ?? Located("", at: entry.key.position),
            step: entry.value["do"].map { step(named: entry.key, $0) }
                ?? Step(name: entry.key, text: "", statements: []))
    }

    private func after(_ tree: Tree) -> AfterSpec? {
        line(tree) { scalar throws(LineFailure) in
            var parser = StepParser(scalar)
            let step = try parser.requiringStep()
            try parser.expect("requires")
            let required = try parser.requirement()
            try PropertyLines.end(parser, grammar: AfterSpec.grammar)
            return AfterSpec(step: step, requires: required)
        }
    }

    private func schedule(_ tree: Tree) -> Located<[String]> {
        let words = text(tree).split { $0 == " " || $0 == "\n" }.map(String.init)
        return Located(words, at: tree.position)
    }

    private func explore(_ tree: Tree?) -> ExploreSpec {
        var spec = ExploreSpec()
        if let tree { spec.position = tree.position }
        if let limit = tree?["limit"]?.text.flatMap({ Int($0.value) }) {
            spec.limit = limit
            spec.statesLimit = true
        }
        spec.preemptions = tree?["preemptions"]?.text.flatMap { Int($0.value) }
        if let seed = tree?["seed"]?.text.flatMap({ UInt64($0.value) }) { spec.seed = seed }
        return spec
    }

    private func observation(_ entry: Tree.Entry) -> ObservationSpec? {
        line(entry.value) { scalar throws(LineFailure) in
            try ObservationLine.parse(scalar, name: entry.key, at: entry.value.position)
        }
    }

    private func outcome(_ tree: Tree) -> OutcomeSpec {
        let pattern: OutcomeSpec.Pattern
        if let map = tree["is"]?.map {
            pattern = .values(
                map.map { NamedPattern(observation: $0.key, pattern: valuePattern($0.value)) })
        } else {
            pattern = .serial
        }
        let conditions = (tree["when"]?.map ?? []).map { entry in
            WhenSpec(
                parameter: entry.key,
                values: (entry.value.list ?? [entry.value]).compactMap(literal))
        }
        return OutcomeSpec(
            grade: OutcomeSpec.Grade(rawValue: text(tree["grade"])) ?? .acceptable,
            pattern: pattern, when: conditions, finding: tree["finding"]?.text?.value,
            because: text(tree["because"]), position: tree.position)
    }

    private func valuePattern(_ tree: Tree) -> ValuePattern {
        if let list = tree.list { return .list(list.map(valuePattern)) }
        if let alternatives = tree["one-of"] {
            return .oneOf((alternatives.list ?? [alternatives]).map(valuePattern))
        }
        if let excluded = tree["not"] { return .not(valuePattern(excluded)) }
        guard let literal = literal(tree)?.value else { return .any }
        return literal == .text("*") ? .any : .value(literal)
    }
}
