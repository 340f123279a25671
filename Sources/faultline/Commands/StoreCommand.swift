import ArgumentParser
import CommandLineSupport
import CoreDataPostgreSQL
import SQLAnalysis

struct StoreCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Describes a store, tries every store below a folder, or copies a store.",
        discussion: """
            With --all each store is opened with the model that it contains. The rows and values \
            are compared with those that SQL reads, and a changed object is saved. Exit code 1 if \
            any store cannot be used.

            `copy A B` copies the store A to B, which must not exist, and compares all rows and \
            references. A and B are files or URLs such as postgresql:///shop?schema=library. Exit \
            code 1 if the copy is not equal.
            """,
        examples: [
            "store Library.sqlite", "store Stores --all",
            "store copy Library.sqlite 'postgresql:///shop?schema=library'",
        ])

    @Argument(
        help: "A store's .sqlite file; a folder with --all; or 'copy' and the two stores.")
    var words: [String]

    @Flag(help: "Try every store below the folder.")
    var all = false

    @Option(help: "The model of the store to copy; by default the model that it contains.")
    var model: String?

    private var isCopy: Bool { words.count == 3 && words[0] == "copy" }

    func validate() throws {
        guard isCopy ? !all : words.count == 1 && model == nil else {
            throw ValidationError("Name one store, or write: store copy FROM TO.")
        }
    }

    func status() throws -> ExitStatus {
        if isCopy {
            let report = try StoreTransfer(from: words[1], to: words[2], model: model).run()
            Console.write(report.text)
            return report.isEqual ? .expected : .failed
        }
        let path = words[0]
        if all {
            let result = StoreSurvey(folder: path).run()
            Console.write(result.text)
            return result.count == 0 ? .inconclusive : result.isComplete ? .expected : .failed
        }
        Console.write(try StoreDescriber(path: path).text())
        return .expected
    }
}
