/// Reads the one-line forms of attributes and relationships of an inline model.
enum PropertyLines {
    static let attributeGrammar = "TYPE [required] [transient] [default VALUE]"
    static let relationshipGrammar =
        "one|many|ordered ENTITY inverse KEY|none [nullify|cascade|deny|no-action] [required]"

    static func attribute(
        named name: Located<String>, _ line: Tree.Scalar
    ) throws(LineFailure) -> PropertyShape {
        var parser = StepParser(line)
        let word = try parser.name("the type")
        guard let type = AttributeType(rawValue: word.value) else {
            throw LineFailure(
                position: word.position, what: "unknown attribute type '\(word.value)'",
                instead: Suggestion.text(
                    for: word.value, among: AttributeType.allCases.map(\.rawValue), kind: "type"))
        }
        let isRequired = parser.scanner.take("required")
        let isTransient = parser.scanner.take("transient")
        var defaultValue: Located<Literal>?
        if parser.scanner.take("default") {
            defaultValue = try literal(&parser, type: type, name: name.value)
        }
        try end(parser, grammar: attributeGrammar)
        return PropertyShape(
            name: name, kind: .attribute(type, defaultValue: defaultValue), isRequired: isRequired,
            isTransient: isTransient)
    }

    private static func literal(
        _ parser: inout StepParser, type: AttributeType, name: String
    ) throws(LineFailure) -> Located<Literal> {
        let position = parser.scanner.position
        guard case .literal(let literal) = try parser.operand() else {
            throw LineFailure(
                position: position, what: "the default of '\(name)' is not a plain value",
                instead: "write \(type.example)")
        }
        if !type.accepts(literal.value) {
            throw LineFailure(
                position: position,
                what:
                    "the default of '\(name)' is \(literal.value),"
                    + " but its type is \(type.rawValue)",
                instead: "write \(type.example)")
        }
        return literal
    }

    static func relationship(
        named name: Located<String>, _ line: Tree.Scalar
    ) throws(LineFailure) -> PropertyShape {
        var parser = StepParser(line)
        let word = try parser.name("'one', 'many' or 'ordered'")
        guard let arity = RelationshipShape.Arity(rawValue: word.value) else {
            throw LineFailure(
                position: word.position, what: "'\(word.value)' does not start a relationship",
                instead: "write \(relationshipGrammar)")
        }
        let destination = try parser.name("the destination entity")
        try parser.expect("inverse")
        let inverse = try parser.name("the inverse, or 'none',")
        let rule = RelationshipShape.DeleteRule.allCases.first { parser.scanner.take($0.rawValue) }
        let isRequired = parser.scanner.take("required")
        try end(parser, grammar: relationshipGrammar)
        return PropertyShape(
            name: name,
            kind: .relationship(
                RelationshipShape(
                    arity: arity, destination: destination,
                    inverse: inverse.value == "none" ? nil : inverse,
                    deleteRule: rule ?? .nullify)),
            isRequired: isRequired)
    }

    static func end(_ parser: StepParser, grammar: String) throws(LineFailure) {
        if !parser.scanner.isAtEnd {
            throw LineFailure(
                position: parser.scanner.position,
                what: "the end of the line has unexpected text",
                instead: "write \(grammar)")
        }
    }
}
