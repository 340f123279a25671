import ArgumentParser
import LabCommands
import SQLAnalysis

struct ModelCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Describes a model, or tries every model version below a folder.",
        discussion: """
            With --all each version is loaded and one object of each concrete entity is saved into \
            a new store in a temporary folder; exit code 1 if any version cannot be used.
            """)

    /// How a model is shown.
    enum Format: String, ExpressibleByArgument, CaseIterable { case text, mermaid }

    @Argument(help: "An .xcdatamodeld, .xcdatamodel, .momd or .mom; a folder with --all.")
    var path: String

    @Flag(help: "Try every model version below the folder.")
    var all = false

    @Option(help: "How the model is shown: text or mermaid.")
    var format: Format = .text

    func status() throws -> ExitStatus {
        if all {
            let result = ModelSurvey(folder: path).run()
            Console.write(result.text)
            return result.count == 0 ? .inconclusive : result.isComplete ? .expected : .failed
        }
        let describer = try ModelDescriber(path: path)
        switch format {
        case .text: Console.write(describer.text)
        case .mermaid: Console.write(describer.mermaid)
        }
        return .expected
    }
}
