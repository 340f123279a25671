import ArgumentParser
import CommandLineSupport
import LabResults
import LabRunner

/// The formats whose schema can be printed.
enum SchemaSubject: String, ExpressibleByArgument, CaseIterable {
    case scenario
    case run
    case matrix
    case bench
    case gate
    case sql
    case fetch
    case torture

    var text: String {
        switch self {
        case .scenario: ScenarioSuite.schema()
        case .run: ResultSchema.text(.run)
        case .matrix: ResultSchema.text(.matrix)
        case .bench: ResultSchema.text(.bench)
        case .gate: ResultSchema.text(.gate)
        case .sql: ResultSchema.text(.sql)
        case .fetch: ResultSchema.text(.fetch)
        case .torture: ResultSchema.text(.torture)
        }
    }
}

struct SchemaCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schema of scenario files, or of a kind of result file.",
        examples: ["schema scenario", "schema bench"])

    @Argument(
        help: """
            scenario, or a kind of result file: run, matrix, bench, gate, sql, fetch or torture.
            """)
    var subject: SchemaSubject = .scenario

    @Flag(help: "Print the reference page of the scenario language instead of a schema.")
    var reference = false

    func status() throws -> ExitStatus {
        let text = reference ? ScenarioSuite.reference() : subject.text
        Console.write(text.hasSuffix("\n") ? text : text + "\n")
        return .expected
    }
}
