import ArgumentParser
import LabTorture

/// What `torture` starts to read inputs, in processes of their own.
struct TortureFuzzWorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: FuzzWorker.subcommand,
        abstract: "Reads the inputs that standard input names.", shouldDisplay: false)

    @Argument(help: "The page that it shares with who started it.")
    var page: String

    func run() throws {
        FuzzWorker.main(page: page)
    }
}
