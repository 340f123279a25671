extension Scenario {
    /// The scenario with a hash of its contents. A scenario from a file keeps the hash of the file.
    package var hashed: Scenario {
        guard file.isEmpty, hash == ContentHash.unknown else { return self }
        var hashed = self
        hashed.hash = ContentHash.of(canonicalText.utf8)
        return hashed
    }

    /// The contents of the scenario as a string with a line for each part. Equal scenarios have
    /// equal strings in every process.
    private var canonicalText: String {
        var lines = ["name \(name)", "about \(about)", "mode \(mode.rawValue)"]
        lines += modelLines + ["store \(text(store.kind, \.rawValue))"]
        lines += ["journal \(text(store.journal, \.rawValue))", "quirk \(text(quirk, \.rawValue))"]
        lines += contexts.map(text)
        lines += matrix.map { axis in
            "matrix \(axis.name.value) \(axis.values.map(\.value.description))"
        }
        lines += setup.map { "setup \($0.text)" }
        for session in sessions {
            lines.append("session \(session.name.value) on \(session.context.value)")
            lines += session.steps.map { "step \($0.name.value): \($0.text)" }
        }
        lines += blocks.map { "block \($0.name.value) on \($0.context.value): \($0.step.text)" }
        lines += after.map { "after \($0.step.value) requires \($0.requires.text)" }
        lines += atomic.map { "atomic \($0.value)" }
        lines += schedules.map { "schedule \($0.value)" }
        lines += invariants.map { "invariant \($0.value.rawValue)" }
        lines += observations.map { "observe \($0.name.value): \($0.text)" }
        lines += outcomes.map(text)
        return lines.joined(separator: "\n")
    }

    private var modelLines: [String] {
        switch model {
        case .file(let path, let version): ["model \(path.value) \(version?.value ?? "")"]
        case .inline(let shape): shape.entities.flatMap(lines)
        }
    }

    private func lines(_ entity: EntityShape) -> [String] {
        let unique = entity.unique.map { $0.map(\.value).joined(separator: " ") }
        let head =
            "entity \(entity.name.value) parent \(entity.parent?.value ?? "")"
            + " \(entity.isAbstract) unique \(unique) hook \(entity.onDelete?.value ?? "")"
        return [head]
            + entity.properties.map { property in
                "property \(property.name.value) \(text(property.kind)) \(property.isRequired)"
                    + " \(property.isTransient)"
            }
    }

    private func text(_ kind: PropertyShape.Kind) -> String {
        switch kind {
        case .attribute(let type, let value):
            "\(type.rawValue) \(value?.value.description ?? "")"
        case .relationship(let shape):
            "\(shape.arity.rawValue) \(shape.destination.value) \(shape.inverse?.value ?? "")"
                + " \(shape.deleteRule.rawValue)"
        }
    }

    private func text(_ context: ContextSpec) -> String {
        [
            "context \(context.name.value)", text(context.queue, \.rawValue),
            "parent \(context.parent.map { text($0, \.value) } ?? "")",
            "coordinator \(context.coordinator?.value ?? "")",
            "policy \(text(context.policy, \.value.description))",
            "automerge \(text(context.automerge, \.description))",
            "merges from \(context.mergesFrom.map { text($0, \.value) })",
            "on save \(context.onSave.map(\.value))", "undo \(text(context.undo, \.description))",
        ].joined(separator: " ")
    }

    private func text<Value>(_ setting: Setting<Value>, _ value: (Value) -> String) -> String {
        switch setting {
        case .value(let own): value(own)
        case .parameter(let name): "$\(name.value)"
        }
    }

    private func text(_ outcome: OutcomeSpec) -> String {
        let pattern =
            switch outcome.pattern {
            case .serial: "serial"
            case .values(let values):
                values.map { "\($0.observation.value) \(text($0.pattern))" }.joined(separator: ", ")
            }
        let conditions = outcome.when.map { condition in
            "\(condition.parameter.value) \(condition.values.map(\.value.description))"
        }
        return "\(outcome.grade.rawValue) \(pattern) when \(conditions)"
            + " finding \(outcome.finding ?? "") because \(outcome.because)"
    }

    private func text(_ pattern: ValuePattern) -> String {
        switch pattern {
        case .any: "*"
        case .value(let literal): literal.description
        case .list(let patterns): "list \(patterns.map(text))"
        case .oneOf(let patterns): "one of \(patterns.map(text))"
        case .not(let pattern): "not \(text(pattern))"
        }
    }
}
