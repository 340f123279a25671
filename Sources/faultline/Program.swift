import ArgumentParser
import CommandLineSupport
import Glibc
import LabBench
import LabCommands
import LabFiles
import SQLAnalysis

/// The start of the process: a process that `bench` starts begins its work at once, and all other
/// processes read a command.
@main
enum Program {
    static func main() {
        // Setting up the parser of all commands would be a part of every sample's memory.
        if CommandLine.arguments.dropFirst() == [SampleWorker.subcommand] { SampleWorker.main() }
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
