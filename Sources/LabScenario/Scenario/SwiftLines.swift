/// Creates parts of a scenario in Swift code from the lines of scenario files. Errors name the
/// column in the line.
extension Step {
    package init(_ name: String, _ line: String) throws(ScenarioProblems) {
        let statements = try SwiftLine.parse(line, of: name) { scalar throws(LineFailure) in
            var parser = StepParser(scalar)
            return try parser.statements()
        }
        self.init(name: Located(name), text: line, statements: statements)
    }
}

extension SessionSpec {
    /// Creates a session from the lines of its steps.
    ///
    /// - Throws: ``ScenarioProblems`` with the column of an error in a line.
    public init(
        _ name: String, on context: String, _ steps: KeyValuePairs<String, String>
    ) throws(ScenarioProblems) {
        var made: [Step] = []
        for (name, line) in steps { made.append(try Step(name, line)) }
        self.init(name: Located(name), context: Located(context), steps: made)
    }
}

extension ContextSpec {
    /// Creates a context from its name and its policy in the form of scenario files: a name, or a
    /// `$parameter`.
    ///
    /// - Parameters:
    ///   - parent: the parent context's name; nil for a context on a coordinator.
    ///   - mergesFrom: the contexts whose saves are merged into this one; each entry is a name or a
    ///     `$parameter`.
    public init(
        _ name: String, policy: String = "error", queue: Queue = .private, parent: String? = nil,
        mergesFrom: [String] = []
    ) {
        self.init(
            name: Located(name), queue: .value(queue),
            parent: parent.map { .value(Located($0)) },
            policy: Setting(Located(policy)) { Located(PolicyName($0.value)) },
            mergesFrom: mergesFrom.map { Setting(Located($0)) { $0 } })
    }
}

extension ObservationSpec {
    package init(_ name: String, _ line: String) throws(ScenarioProblems) {
        self = try SwiftLine.parse(line, of: name) { scalar throws(LineFailure) in
            try ObservationLine.parse(scalar, name: Located(name), at: .start)
        }
    }
}

extension PropertyShape {
    /// Creates an attribute from its line, as in `attributes` of a file.
    package init(attribute name: String, _ line: String) throws(ScenarioProblems) {
        self = try SwiftLine.parse(line, of: name) { scalar throws(LineFailure) in
            try PropertyLines.attribute(named: Located(name), scalar)
        }
    }

    /// Creates a relationship from its line, as in `relationships` of a file.
    package init(relationship name: String, _ line: String) throws(ScenarioProblems) {
        self = try SwiftLine.parse(line, of: name) { scalar throws(LineFailure) in
            try PropertyLines.relationship(named: Located(name), scalar)
        }
    }
}

extension EntityShape {
    /// Creates an entity from the lines of its properties, as in `attributes` and `relationships`.
    ///
    /// - Throws: ``ScenarioProblems`` with the column of an error in a line.
    public init(
        _ name: String, attributes: KeyValuePairs<String, String> = [:],
        relationships: KeyValuePairs<String, String> = [:], unique: [[String]] = []
    ) throws(ScenarioProblems) {
        var properties: [PropertyShape] = []
        for (key, line) in attributes {
            properties.append(try PropertyShape(attribute: key, line))
        }
        for (key, line) in relationships {
            properties.append(try PropertyShape(relationship: key, line))
        }
        self.init(
            name: Located(name), properties: properties,
            unique: unique.map { $0.map { Located($0) } })
    }
}

extension OutcomeSpec {
    /// Creates an outcome from the values of observations. Other observations may have any value.
    ///
    /// - Parameters:
    ///   - finding: the finding that must accompany this outcome.
    ///   - because: the reason for the grade, such as the change that is lost.
    public init(
        _ grade: Grade, _ values: KeyValuePairs<String, ValuePattern>, finding: String? = nil,
        because: String
    ) {
        self.init(
            grade: grade,
            pattern: .values(
                values.map { NamedPattern(observation: Located($0.key), pattern: $0.value) }),
            finding: finding, because: because)
    }
}

extension ValuePattern: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral
{
    /// Matches exactly this number.
    public init(integerLiteral value: Int64) { self = .value(.integer(value)) }

    /// Matches exactly this string.
    public init(stringLiteral value: String) { self = .value(.text(value)) }

    /// Matches exactly this Boolean value.
    public init(booleanLiteral value: Bool) { self = .value(.flag(value)) }
}

extension Scenario {
    /// Creates a scenario from the lines that a file would have.
    ///
    ///     try Scenario(
    ///         name: "two-tills", about: "Both amounts count.",
    ///         entities: [EntityShape("Till", attributes: ["amount": "integer64"])],
    ///         contexts: [ContextSpec("A"), ContextSpec("B")],
    ///         setup: ["insert Till as t with amount = 10"],
    ///         sessions: [
    ///             SessionSpec("one", on: "A", ["a1": "set t.amount = 11", "a2": "save"]),
    ///             SessionSpec("two", on: "B", ["b1": "set t.amount = 12", "b2": "save"]),
    ///         ],
    ///         observe: ["amount": "read Till.amount", "second": "status b2"],
    ///         outcomes: [OutcomeSpec(.acceptable, ["amount": 11], because: "A came first.")])
    ///
    /// - Parameters:
    ///   - matrix: the values of each parameter. The scenario runs once for each value, which
    ///     replaces `$parameter` in contexts and lines.
    ///   - setup: the rows to save before the sessions begin.
    /// - Throws: ``ScenarioProblems`` with the column of an error in a line. Names are compared
    ///   with the model when the scenario runs.
    public init(
        name: String, about: String, entities: [EntityShape], contexts: [ContextSpec],
        matrix: KeyValuePairs<String, [String]> = [:], setup: [String] = [],
        sessions: [SessionSpec], observe: KeyValuePairs<String, String>, outcomes: [OutcomeSpec]
    ) throws(ScenarioProblems) {
        var steps: [Step] = []
        for line in setup { steps.append(try Step("setup", line)) }
        var observations: [ObservationSpec] = []
        for (name, line) in observe { observations.append(try ObservationSpec(name, line)) }
        self.init(
            name: name, about: about, model: .inline(ModelShape(entities: entities)),
            contexts: contexts,
            matrix: matrix.map { name, values in
                MatrixAxis(name: Located(name), values: values.map { Located(.text($0)) })
            },
            setup: steps, sessions: sessions, observations: observations, outcomes: outcomes)
    }
}

private enum SwiftLine {
    static func parse<Value>(
        _ line: String, of name: String,
        _ body: (Tree.Scalar) throws(LineFailure) -> Value
    ) throws(ScenarioProblems) -> Value {
        let columns = line.unicodeScalars.indices.enumerated().map {
            SourcePosition(line: 1, column: $0.offset + 1)
        }
        let origin = TextOrigin(positions: columns, start: .start)
        do {
            return try body(Tree.Scalar(text: line, isPlain: true, origin: origin))
        } catch {
            throw ScenarioProblems([
                ScenarioProblem(
                    file: "'\(name)'", position: error.position, what: error.what,
                    instead: error.instead)
            ])
        }
    }
}
