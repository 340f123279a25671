import LabFiles

/// Checks the size of a YAML tree before the tree is decoded. The scenario reader runs it.
struct LimitCheck {
    let problems: ProblemList

    func check(_ tree: Tree) {
        checkTexts(tree)
        checkCounts(tree)
        for cure in tree["cures"]?.map ?? [] { checkCounts(cure.value) }
        checkRepetitions(tree)
    }

    /// Statements are counted, too, because `repeat` creates many statements from few characters.
    private func checkRepetitions(_ tree: Tree) {
        var left = ScenarioLimits.repeated
        for key in ["setup", "sessions", "blocks", "cures"] {
            guard let part = tree[key], left >= 0 else { continue }
            take(repetitionsOf: part, &left)
        }
    }

    private func take(repetitionsOf tree: Tree, _ left: inout Int) {
        switch tree.content {
        case .scalar(let scalar):
            for match in scalar.text.matches(of: /\brepeat\s+([0-9]{1,9})/) where left >= 0 {
                left -= Int(match.1) ?? 0
                guard left < 0 else { continue }
                problems.add(
                    "'repeat' creates more than \(ScenarioLimits.repeated) statements here",
                    at: tree.position, instead: "repeat fewer statements, or split the scenario")
            }
        case .list(let list): for item in list { take(repetitionsOf: item, &left) }
        case .map(let entries): for entry in entries { take(repetitionsOf: entry.value, &left) }
        }
    }

    private func checkCounts(_ tree: Tree) {
        for count in ScenarioLimits.counts { check(tree, count.path[...], count) }
    }

    private func check(_ tree: Tree, _ path: ArraySlice<String>, _ count: ScenarioLimits.Count) {
        guard let key = path.first else {
            let places = tree.map?.map(\.key.position) ?? tree.list?.map(\.position) ?? []
            guard places.count > count.most else { return }
            return problems.add(
                "'\(count.path.last ?? "")' has \(places.count) entries, but the limit"
                    + " is \(count.most)",
                at: places[count.most], instead: "split the scenario into several files")
        }
        for entry in tree.map ?? [] where key == "*" || key == entry.key.value {
            check(entry.value, path.dropFirst(), count)
        }
    }

    private func checkTexts(_ tree: Tree) {
        switch tree.content {
        case .scalar(let scalar):
            let count = scalar.text.unicodeScalars.count
            guard count > ScenarioLimits.characters else { return }
            problems.add(
                "the value has \(count) characters, but the limit"
                    + " is \(ScenarioLimits.characters)",
                at: tree.position, instead: "write a shorter value")
        case .list(let list): for item in list { checkTexts(item) }
        case .map(let entries): for entry in entries { checkTexts(entry.value) }
        }
    }
}

extension ScenarioLimits {
    struct Count: Sendable {
        /// The keys from the root to the mapping or list; `*` matches every name.
        let path: [String]
        let most: Int

        init(_ path: String, _ most: Int) {
            self.path = path.split(separator: ".").map(String.init)
            self.most = most
        }
    }

    static let counts = [
        Count("include", 100), Count("refs", 100), Count("contexts", 50), Count("matrix", 20),
        Count("setup", 5_000), Count("sessions", 50), Count("sessions.*.steps", 500),
        Count("blocks", 100), Count("after", 1_000), Count("atomic", 1_000),
        Count("schedules", 10_000), Count("pinned", 100), Count("observe", 200),
        Count("outcomes", 1_000), Count("cures", 100), Count("model.entities", 200),
        Count("model.entities.*.attributes", 300), Count("model.entities.*.relationships", 300),
        Count("model.entities.*.unique", 100), Count("entities", 200),
        Count("entities.*.attributes", 300), Count("entities.*.relationships", 300),
        Count("entities.*.unique", 100),
    ]

    static var table: [(what: String, most: Int)] {
        let entries = counts.filter { $0.path[0] != "entities" }.map { count in
            (
                "entries of `\(count.path.joined(separator: ".").replacing("*", with: "NAME"))`",
                count.most
            )
        }
        return [
            ("bytes of a file", InputFile.textMax),
            (
                "values of a file (an alias counts as all values of its anchor)",
                YAMLBounds.valuesMax
            ),
            ("depth of nested lists and mappings", YAMLBounds.depthMax),
            ("characters of one value", characters),
            ("cells of a matrix", cells),
            ("values of one sum", terms),
            ("statements of one `repeat`", Int(repetitions)),
            ("statements of all `repeat`s of a scenario", repeated),
        ] + entries
    }
}
