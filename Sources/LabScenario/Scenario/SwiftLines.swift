// Parts of a scenario written in Swift by the same lines that files use. Tests call these; what
// is wrong in a line is told with its column.

extension Step {
    /// A step by its line.
    package init(_ name: String, _ line: String) throws(ScenarioProblems) {
        let statements = try SwiftLine.parse(line, of: name) { scalar throws(LineFailure) in
            var parser = StepParser(scalar)
            return try parser.statements()
        }
        self.init(name: Located(name), text: line, statements: statements)
    }
}

extension SessionSpec {
    /// A session by the lines of its steps.
    package init(
        _ name: String, on context: String, _ steps: KeyValuePairs<String, String>
    ) throws(ScenarioProblems) {
        var made: [Step] = []
        for (name, line) in steps { made.append(try Step(name, line)) }
        self.init(name: Located(name), context: Located(context), steps: made)
    }
}

extension ContextSpec {
    /// A context by its name, with the policy as files write it.
    package init(_ name: String, policy: String = "error", queue: Queue = .private) {
        self.init(
            name: Located(name), queue: .value(queue),
            policy: .value(Located(PolicyName(policy))))
    }
}

extension ObservationSpec {
    /// An observation by its line.
    package init(_ name: String, _ line: String) throws(ScenarioProblems) {
        self = try SwiftLine.parse(line, of: name) { scalar throws(LineFailure) in
            try ObservationLine.parse(scalar, name: Located(name), at: .start)
        }
    }
}

extension EntityShape {
    /// An entity by the lines of its properties.
    package init(
        _ name: String, attributes: KeyValuePairs<String, String> = [:],
        relationships: KeyValuePairs<String, String> = [:], unique: [[String]] = []
    ) throws(ScenarioProblems) {
        var properties: [PropertyShape] = []
        for (key, line) in attributes {
            properties.append(
                try SwiftLine.parse(line, of: key) { scalar throws(LineFailure) in
                    try PropertyLines.attribute(named: Located(key), scalar)
                })
        }
        for (key, line) in relationships {
            properties.append(
                try SwiftLine.parse(line, of: key) { scalar throws(LineFailure) in
                    try PropertyLines.relationship(named: Located(key), scalar)
                })
        }
        self.init(
            name: Located(name), properties: properties,
            unique: unique.map { $0.map { Located($0) } })
    }
}

extension OutcomeSpec {
    /// An outcome by the values of observations; others may have any.
    package init(
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
    package init(integerLiteral value: Int64) { self = .value(.integer(value)) }

    package init(stringLiteral value: String) { self = .value(.text(value)) }

    package init(booleanLiteral value: Bool) { self = .value(.flag(value)) }
}

/// One line that stands in Swift source.
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
