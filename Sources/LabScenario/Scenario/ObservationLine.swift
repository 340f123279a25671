/// Parses the line of an observation of the final state, as under `observe` in a file.
enum ObservationLine {
    static let forms: [(grammar: String, meaning: String)] = [
        ("count ENTITY [where PREDICATE]", "The number of rows that a fresh context counts."),
        (
            "read ENTITY.KEY[.KEY…] [where PREDICATE] [sort KEY, …] [limit N]",
            "A property of the rows that a fresh context fetches: the value if there is one row, a"
                + " list if there are several rows, `none` if there is no row. For a to-many"
                + " relationship, it is the number of members."
        ),
        (
            "sql SELECT …",
            "The first column of a statement's result, read from SQLite at the end."
        ),
        (
            "status STEP",
            "The result of the step: `ok`, `skipped` if a condition or a missing object prevented"
                + " the step, or the number of the error that ended the step."
        ),
        (
            "value NAME",
            "The value that the last step bound to this name with `->`; otherwise `none`."
        ),
        (
            "statements STEP, rows STEP, faults STEP",
            "The number of SQL statements that the step ran, of rows that they returned, or of"
                + " faults that the step fired."
        ),
    ]

    private static let words = [
        "count", "read", "sql", "status", "value", "statements", "rows", "faults",
    ]

    static func parse(
        _ scalar: Tree.Scalar, name: Located<String>, at position: SourcePosition
    ) throws(LineFailure) -> ObservationSpec {
        var observation = try read(scalar, name: name, at: position)
        observation.text = scalar.text
        return observation
    }

    private static func read(
        _ scalar: Tree.Scalar, name: Located<String>, at position: SourcePosition
    ) throws(LineFailure) -> ObservationSpec {
        var parser = StepParser(scalar)
        let word = try parser.name("'count', 'read', 'sql', 'status' or 'value'")
        let source: ObservationSpec.Source
        switch word.value {
        case "count": source = .count(try parser.query())
        case "read": source = try read(&parser)
        case "sql": return try sql(scalar, name: name, at: position)
        case "status": source = .status(step: try parser.name("the step"))
        case "value": source = .value(name: try parser.name("the name"))
        case "statements", "rows", "faults":
            let cost = ObservationSpec.Cost(rawValue: word.value) ?? .rows
            source = .cost(cost, step: try parser.name("the step"))
        default:
            throw LineFailure(
                position: word.position, what: "'\(word.value)' is not an observation",
                instead: Suggestion.text(
                    for: word.value, among: words, kind: "observation"))
        }
        try PropertyLines.end(
            parser, grammar: forms.first { $0.grammar.contains(word.value) }?.grammar ?? "")
        return ObservationSpec(name: name, source: source, position: position)
    }

    private static func read(
        _ parser: inout StepParser
    ) throws(LineFailure) -> ObservationSpec.Source {
        let entity = try parser.name("the entity")
        let keys = try parser.keys()
        if keys.isEmpty { throw parser.failure("the property is missing", "write ENTITY.KEY") }
        return .read(try parser.clauses(of: entity), keys: keys)
    }

    private static func sql(
        _ scalar: Tree.Scalar, name: Located<String>, at position: SourcePosition
    ) throws(LineFailure) -> ObservationSpec {
        let statement = String(scalar.text.dropFirst(3).drop { $0 == " " || $0 == "\n" })
        guard statement.uppercased().hasPrefix("SELECT") else {
            throw LineFailure(
                position: scalar.origin.position(of: 4), what: "the statement is not a SELECT",
                instead: "write sql SELECT …, which only reads")
        }
        return ObservationSpec(name: name, source: .sql(statement), position: position)
    }
}
