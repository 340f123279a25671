import ArgumentParser
import Glibc
import LabBench
import LabCommands
import LabFiles
import LabTorture
import SQLAnalysis

/// The start of the process: the processes that `bench` and `torture` start begin their work at
/// once, all others read a command.
@main
enum Program {
    static func main() {
        // Setting up the parser of all commands would be a part of every sample's memory.
        if CommandLine.arguments.dropFirst() == [SampleWorker.subcommand] { SampleWorker.main() }
        if TortureVictim.isAsked(CommandLine.arguments) {
            TortureVictim.main(CommandLine.arguments[2])
        }
        if CommandLine.arguments.dropFirst() == [ScenarioWorker.subcommand] {
            ScenarioWorker.main()
        }
        ForeignModels.expect()
        CleanUpOnSignals.start()
        let arguments = ColourGroup.first(Array(CommandLine.arguments.dropFirst()))
        if let product = TestProduct(CommandLine.arguments) { exit(product.run()) }
        if let complaint = CommandSuggestion.complaint(arguments, of: Faultline.self) {
            Console.note(complaint)
            exit(ExitStatus.usage.rawValue)
        }
        Faultline.main(arguments)
    }
}
