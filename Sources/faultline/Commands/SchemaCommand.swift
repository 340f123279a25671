import ArgumentParser
import BenchResults
import CommandLineSupport
import LabFiles
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
        case .run: ResultSchema.run
        case .matrix: ResultSchema.matrix
        case .bench: ResultSchema.bench
        case .gate: ResultSchema.gate
        case .sql: ResultSchema.sql
        case .fetch: ResultSchema.fetch
        case .torture: ResultSchema.torture
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
