import ScenarioWords

/// The JSON Schema of scenario files, built from the key tables. `faultline schema` prints it, and
/// editors use it to complete keys.
package enum ScenarioSchema {
    /// The schema as JSON text. Each call returns the same bytes.
    package static var json: String {
        var members: [(String, JSONText)] = [
            ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
            ("title", .text("Faultline scenario")),
            ("$comment", .text("Version \(ScenarioKeys.version); from the parser's tables.")),
        ]
        members += object(ScenarioKeys.root)
        return JSONText.object(members).rendered(indent: "") + "\n"
    }

    private static func object(_ rules: [KeyRule]) -> [(String, JSONText)] {
        let properties = rules.map { rule in
            (rule.key, JSONText.object([("description", .text(rule.meaning))] + schema(rule.form)))
        }
        let required = rules.filter(\.isRequired).map { JSONText.text($0.key) }
        var members: [(String, JSONText)] = [
            ("type", .text("object")), ("properties", .object(properties)),
            ("additionalProperties", .raw("false")),
        ]
        if !required.isEmpty { members.append(("required", .list(required))) }
        return members
    }

    private static let namePattern = "^[A-Za-z][A-Za-z0-9_-]*$"
    private static let namePatternWithParameter = "^\\$?[A-Za-z][A-Za-z0-9_-]*$"
    private static let scalarTypes = ["string", "number", "boolean", "null"].map(JSONText.text)

    private static func schema(_ form: KeyRule.Form) -> [(String, JSONText)] {
        switch form {
        case .text: [("type", .text("string"))]
        case .name: [("type", .text("string")), ("pattern", .text(namePattern))]
        case .nameOrParameter:
            [("type", .text("string")), ("pattern", .text(namePatternWithParameter))]
        case .word(let words, false): [("enum", .list(words.map(JSONText.text)))]
        case .word(let words, true):
            [
                (
                    "anyOf",
                    .list([
                        .object([("enum", .list(words.map(JSONText.text)))]),
                        .object([("type", .text("string")), ("pattern", .text("^\\$"))]),
                    ])
                )
            ]
        case .flag:
            [
                (
                    "anyOf",
                    .list([
                        .object([("type", .text("boolean"))]),
                        .object([("type", .text("string")), ("pattern", .text("^\\$"))]),
                    ])
                )
            ]
        case .number(let low, let high):
            [("type", .text("integer")), ("minimum", .raw(String(low)))]
                + (high == .max ? [] : [("maximum", .raw(String(high)))])
        case .scalar: [("type", .list(scalarTypes))]
        case .line(let grammar):
            [("type", .text("string")), ("$comment", .text("one line: \(grammar)"))]
        case .list(let element): [("type", .text("array")), ("items", .object(schema(element)))]
        case .oneOrMore(let element):
            [
                (
                    "anyOf",
                    .list([.object(schema(element)), .object(schema(.list(element)))])
                )
            ]
        case .named(_, let element):
            [
                ("type", .text("object")),
                ("propertyNames", .object([("pattern", .text(namePattern))])),
                ("additionalProperties", .object(schema(element))),
            ]
        case .keys(let rules): object(rules)
        case .either(let short, let long):
            [("anyOf", .list([.object(schema(short)), .object(schema(long))]))]
        case .pattern:
            [("type", .list(scalarTypes + [.text("array"), .text("object")]))]
        }
    }
}

/// A JSON value whose objects keep the order of their members.
enum JSONText: Sendable {
    case object([(String, JSONText)])
    case list([JSONText])
    case text(String)
    case raw(String)

    func rendered(indent: String) -> String {
        let deeper = indent + "  "
        switch self {
        case .raw(let text): return text
        case .text(let text): return text.inDoubleQuotes
        case .list(let list):
            return "[" + list.map { $0.rendered(indent: indent) }.joined(separator: ", ") + "]"
        case .object(let members):
            if members.isEmpty { return "{}" }
            let lines = members.map { key, value in
                "\(deeper)\(key.inDoubleQuotes): \(value.rendered(indent: deeper))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }
}
