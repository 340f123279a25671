import ArgumentParser
import LabResults

extension ResultKind: ExpressibleByArgument {
    public init?(argument: String) { self.init(rawValue: "faultline." + argument) }

    public static var allValueStrings: [String] {
        allCases.map { String($0.rawValue.dropFirst("faultline.".count)) }
    }
}

struct SchemaCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schema of a kind of result file: run, matrix, bench or gate.")

    @Argument(help: "The kind of result file.")
    var kind: ResultKind

    func status() throws -> ExitStatus {
        Console.write(ResultSchema.text(kind))
        return .expected
    }
}
