import ArgumentParser
import FuzzAttacks

/// The worker process of `torture` that runs fuzzed inputs.
struct FuzzWorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: FuzzWorker.subcommand,
        abstract: "Reads the inputs that standard input names.", shouldDisplay: false)

    @Argument(help: "The page of memory to share with the process that started this one.")
    var page: String

    func run() throws {
        FuzzWorker.main(page: page)
    }
}
