import LabScenario

// Converts a draft to a scenario with the parsers for single lines.
extension ScenarioDraft {
    /// The scenario's model. Many drafts share it.
    func shape() throws(ScenarioProblems) -> ModelShape {
        var shapes: [EntityShape] = []
        for entity in entities {
            var shape = EntityShape(
                name: Located(entity.name), parent: entity.parent.map { Located($0) },
                isAbstract: entity.isAbstract,
                unique: entity.unique.map { $0.map { Located($0) } })
            for attribute in entity.attributes {
                shape.properties.append(
                    try PropertyShape(attribute: attribute.name, attribute.line))
            }
            for relationship in entity.relationships {
                shape.properties.append(
                    try PropertyShape(relationship: relationship.name, relationship.line))
            }
            shape.onDelete = entity.onDelete.map { Located($0) }
            shapes.append(shape)
        }
        return ModelShape(entities: shapes)
    }

    /// The scenario. It equals the scenario that is read from the draft's text.
    ///
    /// - Throws: an error if a line does not parse. The names are not checked against the model.
    func scenario(_ shape: ModelShape) throws(ScenarioProblems) -> Scenario {
        var steps: [Step] = []
        for line in setup { steps.append(try Step("setup", line)) }
        var made: [SessionSpec] = []
        for session in sessions {
            made.append(
                SessionSpec(
                    name: Located(session.name), context: Located(session.context),
                    steps: try session.steps.map { (line) throws(ScenarioProblems) in
                        try Step(line.name, line.text)
                    }))
        }
        var specs: [BlockSpec] = []
        for block in blocks {
            specs.append(
                BlockSpec(
                    name: Located(block.step.name), context: Located(block.context),
                    step: try Step(block.step.name, block.step.text)))
        }
        var observed: [ObservationSpec] = []
        for line in observations { observed.append(try ObservationSpec(line.name, line.line)) }
        var scenario = Scenario(
            name: name, about: Self.about, model: .inline(shape),
            store: StoreSpec(
                kind: .value(StoreSpec.Kind(rawValue: store) ?? .image),
                journal: .value(journal == "delete" ? .delete : .wal)),
            contexts: contexts.map(\.spec), setup: steps, sessions: made, blocks: specs,
            after: after.compactMap(Self.order), observations: observed,
            outcomes: [
                OutcomeSpec(.acceptable, [observations[0].name: .any], because: Self.because)
            ])
        scenario.mode = ScheduleMode(rawValue: mode) ?? .inline
        scenario.atomic = atomic.map { Located($0.split(separator: " ").map(String.init)) }
        return scenario
    }

    static let about = "Every store shows the same in each schedule."
    static let because = "Stores are compared, outcomes are not graded."

    private static func order(_ line: String) -> AfterSpec? {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        return AfterSpec(step: Located(words[0]), requires: .step(Located(words[2])))
    }
}

extension ScenarioDraft.Context {
    fileprivate var spec: ContextSpec {
        var spec = ContextSpec(
            name: Located(name), queue: .value(isMain ? .main : .private),
            parent: parent.map { .value(Located($0)) },
            coordinator: coordinator.map { Located($0) },
            policy: .value(Located(PolicyName(policy))), automerge: .value(automerge),
            mergesFrom: mergesFrom.map { .value(Located($0)) })
        spec.onSave = onSave.map { Located($0) }
        spec.undo = .value(undo)
        return spec
    }
}
