/// Writes a draft as the text of a scenario file.
extension ScenarioDraft {
    var yaml: String {
        var lines = ["name: \(name)", "about: \(Self.about)", "model:", "  entities:"]
        for entity in entities { lines += Self.lines(of: entity) }
        if let journal {
            lines += ["store:", "  kind: \(store)", "  journal: \(journal)"]
        } else {
            lines.append("store: \(store)")
        }
        if mode != "inline" { lines.append("mode: \(mode)") }
        lines.append("contexts:")
        for context in contexts { lines += Self.lines(of: context) }
        lines += Self.list("setup", setup, indent: "")
        lines.append("sessions:")
        for session in sessions {
            lines += ["  \(session.name):", "    context: \(session.context)", "    steps:"]
            lines += session.steps.map { "      \($0.name): \(Self.quoted($0.text))" }
        }
        if !blocks.isEmpty { lines.append("blocks:") }
        for block in blocks {
            lines += [
                "  \(block.step.name):", "    context: \(block.context)",
                "    do: \(Self.quoted(block.step.text))",
            ]
        }
        lines += Self.list("after", after, indent: "") + Self.list("atomic", atomic, indent: "")
        lines.append("observe:")
        lines += observations.map { "  \($0.name): \(Self.quoted($0.line))" }
        lines += [
            "outcomes:", "  - grade: acceptable", "    is: {\(observations[0].name): \"*\"}",
            "    because: \(Self.because)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of entity: Entity) -> [String] {
        var lines = ["    \(entity.name):"]
        if let parent = entity.parent { lines.append("      parent: \(parent)") }
        if entity.isAbstract { lines.append("      abstract: true") }
        for (key, properties) in [
            ("attributes", entity.attributes), ("relationships", entity.relationships),
        ] where !properties.isEmpty {
            lines.append("      \(key):")
            lines += properties.map { "        \($0.name): \(quoted($0.line))" }
        }
        if !entity.unique.isEmpty {
            lines.append("      unique:")
            lines += entity.unique.map { "        - [\($0.joined(separator: ", "))]" }
        }
        if let key = entity.onDelete { lines.append("      on-delete: \(key)") }
        return lines.count == 1 ? ["    \(entity.name): {}"] : lines
    }

    private static func lines(of context: Context) -> [String] {
        var parts: [String] = []
        if context.isMain { parts.append("queue: main") }
        if let parent = context.parent { parts.append("parent: \(parent)") }
        if let coordinator = context.coordinator { parts.append("coordinator: \(coordinator)") }
        parts.append("policy: \(context.policy)")
        if context.automerge { parts.append("automerge: true") }
        for (key, names) in [("merges-from", context.mergesFrom), ("on-save", context.onSave)]
        where !names.isEmpty {
            parts.append("\(key): [\(names.joined(separator: ", "))]")
        }
        if context.undo { parts.append("undo: true") }
        return ["  \(context.name): {\(parts.joined(separator: ", "))}"]
    }

    private static func list(_ key: String, _ items: [String], indent: String) -> [String] {
        items.isEmpty ? [] : ["\(indent)\(key):"] + items.map { "\(indent)  - \(quoted($0))" }
    }

    private static func quoted(_ line: String) -> String {
        "'\(line.replacing("'", with: "''"))'"
    }
}
