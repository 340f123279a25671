/// An observation of the state at the end of a schedule.
package struct ObservationSpec: Sendable {
    package enum Source: Sendable {
        case count(Query)
        case read(Query, keys: [Located<String>])
        /// The first column of the result of an SQL statement, which SQLite runs directly.
        case sql(String)
        /// The status of a step: `ok`, `skipped`, or the code of the error that ended the step.
        case status(step: Located<String>)
        /// The value that a step bound to a name.
        case value(name: Located<String>)
        /// The number of SQL statements, rows or faults that a step caused.
        case cost(Cost, step: Located<String>)
    }

    package enum Cost: String, Sendable, CaseIterable { case statements, rows, faults }

    package let name: Located<String>
    package let source: Source
    package let position: SourcePosition
    package var text = ""

    package init(name: Located<String>, source: Source, position: SourcePosition = .start) {
        self.name = name
        self.source = source
        self.position = position
    }
}

/// An expected outcome with its grade.
public struct OutcomeSpec: Sendable {
    /// The grade of an outcome: acceptable, worth examining, forbidden, or the reported bug.
    public enum Grade: String, Sendable, CaseIterable {
        case acceptable, interesting, forbidden, defect
    }

    package enum Pattern: Sendable {
        /// Every outcome that occurs if the sessions run one after another.
        case serial
        /// Named observations with their required values; other observations may have any value.
        case values([NamedPattern])
    }

    package let grade: Grade
    package let pattern: Pattern
    /// The parameter values to which this outcome is restricted.
    package let when: [WhenSpec]
    package let finding: String?
    package let because: String
    package let position: SourcePosition

    package init(
        grade: Grade, pattern: Pattern, when: [WhenSpec] = [], finding: String? = nil,
        because: String, position: SourcePosition = .start
    ) {
        self.grade = grade
        self.pattern = pattern
        self.when = when
        self.finding = finding
        self.because = because
        self.position = position
    }

    package func counts(in cell: MatrixCell) -> Bool {
        when.allSatisfy { condition in
            guard let value = cell[condition.parameter.value]?.value else { return false }
            return condition.values.contains { $0.value == value }
        }
    }
}

/// The condition `PARAMETER: [VALUE, …]` of an outcome.
package struct WhenSpec: Sendable {
    package let parameter: Located<String>
    package let values: [Located<Literal>]

    package init(parameter: Located<String>, values: [Located<Literal>]) {
        self.parameter = parameter
        self.values = values
    }
}
