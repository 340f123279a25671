import ArgumentParser
import CommandLineSupport
import SQLAnalysis

struct StoreCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Describes a store, or tries every store below a folder, on copies.",
        discussion: """
            With --all each store is opened with the model that it contains. The rows and values \
            are compared with those that SQL reads, and a changed object is saved. Exit code 1 if \
            any store cannot be used.
            """,
        examples: ["store Library.sqlite", "store Stores --all"])

    @Argument(help: "A store's .sqlite file; a folder with --all.")
    var path: String

    @Flag(help: "Try every store below the folder.")
    var all = false

    func status() throws -> ExitStatus {
        if all {
            let result = StoreSurvey(folder: path).run()
            Console.write(result.text)
            return result.count == 0 ? .inconclusive : result.isComplete ? .expected : .failed
        }
        Console.write(try StoreDescriber(path: path).text())
        return .expected
    }
}
