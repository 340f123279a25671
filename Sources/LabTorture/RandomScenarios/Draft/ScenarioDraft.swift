import LabScenario

/// A scenario as the lines of its file. The generator writes drafts, and the shrinker shortens
/// them.
///
/// A draft can be converted to a ``Scenario`` without YAML, which is fast. Reports contain the text
/// of its file. Worker processes receive drafts as JSON.
struct ScenarioDraft: Codable, Sendable, Hashable {
    struct Property: Codable, Sendable, Hashable {
        var name: String
        var line: String
    }

    struct Entity: Codable, Sendable, Hashable {
        var name: String
        var parent: String?
        var isAbstract = false
        var attributes: [Property] = []
        var relationships: [Property] = []
        var unique: [[String]] = []
        var onDelete: String?
    }

    struct Context: Codable, Sendable, Hashable {
        var name: String
        var isMain = false
        var parent: String?
        var coordinator: String?
        var policy = "error"
        var automerge = false
        var mergesFrom: [String] = []
        var onSave: [String] = []
        var undo = false
    }

    struct Line: Codable, Sendable, Hashable {
        var name: String
        var statements: [String]

        var text: String { statements.joined(separator: "; ") }
    }

    struct Session: Codable, Sendable, Hashable {
        var name: String
        var context: String
        var steps: [Line]
    }

    struct Block: Codable, Sendable, Hashable {
        var context: String
        var step: Line
    }

    var name = "random"
    var entities: [Entity] = []
    /// The store in the scenario's file. The scenario is also run in other stores.
    var store = "sqlite-image"
    var journal: String?
    var mode = "inline"
    var contexts: [Context] = []
    var setup: [String] = []
    var sessions: [Session] = []
    var blocks: [Block] = []
    var after: [String] = []
    var atomic: [String] = []
    /// The observations in addition to the status of each step. The status is always observed.
    var observe: [Property] = []
}

extension ScenarioDraft {
    /// All statements outside the setup, with their contexts.
    var statements: [(context: String, text: String)] {
        sessions.flatMap { session in
            session.steps.flatMap { step in step.statements.map { (session.context, $0) } }
        } + blocks.flatMap { block in block.step.statements.map { (block.context, $0) } }
    }

    /// The verb of a statement, without prefixes such as `off-queue`.
    static func verb(of statement: String) -> String {
        var words = statement.split(separator: " ")[...]
        while let first = words.first {
            switch first {
            case "if", "unless": words = words.dropFirst(2)
            case "off-queue", "unchecked": words = words.dropFirst()
            default: return String(first)
            }
        }
        return ""
    }

    var verbs: Set<String> { Set(statements.map { Self.verb(of: $0.text) }) }

    var linksObjects: Bool {
        if !verbs.isDisjoint(with: ["relate", "register"]) { return true }
        return statements.contains { _, text in
            let words = text.split { " ,".contains($0) }
            return zip(words, words.dropFirst()).contains { sign, word in
                sign == "=" && word.first?.isLetter == true && !word.contains(".")
                    && !["true", "false", "nil"].contains(word)
            }
        }
    }

    /// Whether a context can merge a save that has reached neither its store nor its parent. This
    /// is so if the save went into another parent context.
    var mergesAhead: Bool {
        let parents = Dictionary(
            contexts.map { ($0.name, $0.parent) }, uniquingKeysWith: { first, _ in first })
        return merges.contains { saver, listener in
            guard let parent = parents[saver] ?? nil else { return false }
            return parent != listener && parent != parents[listener]
        }
    }

    /// Pairs of contexts. The second context may merge the saves of the first, because of a rule or
    /// a statement.
    private var merges: [(saver: String, listener: String)] {
        let rules = contexts.flatMap { context in context.mergesFrom.map { ($0, context.name) } }
        return rules
            + statements.compactMap { context, text in
                let words = text.split(separator: " ").map(String.init)
                return switch Self.verb(of: text) {
                case "merge": (words[words.count - 1], context)
                case "merge-remote": (words[words.count - 3], words[words.count - 1])
                default: nil
                }
            }
    }

    var hasConstraints: Bool { entities.contains { !$0.unique.isEmpty } }

    /// All observations, with the status of each step.
    var observations: [Property] {
        let steps = sessions.flatMap(\.steps) + blocks.map(\.step)
        return steps.map { Property(name: $0.name, line: "status \($0.name)") } + observe
    }
}
