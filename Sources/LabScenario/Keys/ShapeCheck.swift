import ScenarioWords

/// Finds unknown keys, missing keys and malformed values in a YAML tree. The scenario reader runs
/// this check before decoding, so the decoder can rely on the structure.
struct ShapeCheck {
    let problems: ProblemList

    func check(_ tree: Tree, keys rules: [KeyRule], of owner: String) {
        guard let map = tree.map else {
            problems.add(
                "\(owner) is \(tree.kind)", at: tree.position,
                instead: "write a mapping with \(Self.list(rules.map(\.key)))")
            return
        }
        for entry in map {
            guard let rule = rules.first(where: { $0.key == entry.key.value }) else {
                problems.add(
                    "unknown key '\(entry.key.value)' in \(owner)", at: entry.key.position,
                    instead: Suggestion.text(
                        for: entry.key.value, among: rules.map(\.key), kind: "key"))
                continue
            }
            check(entry.value, form: rule.form, of: "'\(rule.key)'")
        }
        for rule in rules where rule.isRequired && tree[rule.key] == nil {
            problems.add(
                "\(owner) lacks '\(rule.key)'", at: tree.position,
                instead: "add '\(rule.key):' — \(rule.meaning)")
        }
    }

    private func check(_ tree: Tree, form: KeyRule.Form, of owner: String) {
        switch form {
        case .keys(let rules): check(tree, keys: rules, of: owner)
        case .list(let element): checkList(tree, of: element, owner: owner)
        case .oneOrMore(let element):
            if tree.list != nil {
                checkList(tree, of: element, owner: owner)
            } else {
                check(tree, form: element, of: owner)
            }
        case .named(let what, let element):
            checkNames(tree, what: what, element: element, owner: owner)
        case .either(let short, let long):
            check(tree, form: tree.scalar == nil ? long : short, of: owner)
        case .pattern: checkPattern(tree, of: owner)
        default: checkScalar(tree, form: form, of: owner)
        }
    }

    private func checkList(_ tree: Tree, of element: KeyRule.Form, owner: String) {
        guard let list = tree.list else {
            return wrong(tree, owner, "write a list, one '- …' a line")
        }
        for item in list { check(item, form: element, of: "an entry of \(owner)") }
    }

    private func checkNames(_ tree: Tree, what: String, element: KeyRule.Form, owner: String) {
        guard let map = tree.map else {
            return wrong(tree, owner, "write a mapping, 'NAME: …' for \(what)")
        }
        for entry in map {
            if !ScenarioName.isName(entry.key.value) {
                let isRest = (entry.value.scalar?.placeInBrackets ?? 0) > 0
                problems.add(
                    "'\(entry.key.value)' cannot name \(what)", at: entry.key.position,
                    instead: isRest && entry.value.kind == "nothing"
                        ? Self.commaRule
                        : "use letters, digits, '-' and '_', and start with a letter")
                if isRest { continue }
            }
            check(entry.value, form: element, of: "\(what) '\(entry.key.value)'")
        }
    }

    private func checkPattern(_ tree: Tree, of owner: String) {
        guard let map = tree.map else { return }
        if map.count != 1 || !["one-of", "not"].contains(map[0].key.value) {
            problems.add(
                "the pattern for \(owner) is unreadable", at: tree.position,
                instead: "write a value, a list of values, 'one-of: […]' or 'not: …'")
        }
    }

    private func checkScalar(_ tree: Tree, form: KeyRule.Form, of owner: String) {
        guard let scalar = tree.scalar, let text = tree.text else {
            return wrong(tree, owner, "write \(Self.words(form))")
        }
        if text.value.isEmpty {
            return problems.add(
                "\(owner) is empty", at: tree.position, instead: "write \(Self.words(form))")
        }
        switch form {
        case .name where !ScenarioName.isName(text.value):
            problems.add(
                "\(owner) is '\(text.value)'", at: text.position,
                instead: "use letters, digits, '-' and '_', and start with a letter")
        case .nameOrParameter where !Self.isNameOrParameter(text.value):
            problems.add(
                "\(owner) is '\(text.value)'", at: text.position,
                instead: "write a name of letters, digits, '-' and '_' that starts with a letter,"
                    + " or '$' and the name of a parameter")
        case .word(let words, let mayBeParameter):
            if words.contains(text.value) || mayBeParameter && text.value.hasPrefix("$") { return }
            problems.add(
                "\(owner) is '\(text.value)'", at: text.position,
                instead: Suggestion.text(for: text.value, among: words, kind: "word"))
        case .flag:
            if ["true", "false"].contains(text.value) || text.value.hasPrefix("$") { return }
            problems.add(
                "\(owner) is '\(text.value)'", at: text.position, instead: "write true or false")
        case .number(let low, let high):
            if scalar.isPlain, let number = Int(text.value), (low...high).contains(number) {
                return
            }
            problems.add(
                "\(owner) is '\(text.value)'", at: text.position,
                instead: "write \(Self.words(form))")
        default: break
        }
    }

    private static func isNameOrParameter(_ text: String) -> Bool {
        ScenarioName.isName(text.hasPrefix("$") ? String(text.dropFirst()) : text)
    }

    private func wrong(_ tree: Tree, _ owner: String, _ instead: String) {
        problems.add("\(owner) is \(tree.kind)", at: tree.position, instead: instead)
    }

    private static func words(_ form: KeyRule.Form) -> String {
        switch form {
        case .text: "a line of text"
        case .name: "a name"
        case .nameOrParameter: "a name, or '$' and the name of a parameter"
        case .word(let words, _): "one of \(list(words))"
        case .flag: "true or false"
        case .number(let low, let high):
            high == .max ? "a whole number from \(low)" : "a whole number from \(low) to \(high)"
        case .scalar: "a single value"
        case .line(let grammar): "one line (\(grammar), see the reference page)"
        default: "a value"
        }
    }

    private static func list(_ words: [String]) -> String {
        words.map { "'\($0)'" }.joined(separator: ", ")
    }

    /// The remedy for a comma that YAML reads as a separator.
    static let commaRule =
        "a comma divides values in brackets: put a line with a comma into quotes, as in"
        + " ['set a.x = 1, a.y = 2']"
}
