import ArgumentParser
import CommandLineSupport
import Glibc
import LabBench
import LabCommands
import LabFiles
import SQLAnalysis

/// Starts the process. A process that `bench` has started measures a sample at once, and all other
/// processes run the command on the command line.
@main
enum Program {
    static func main() {
        // A sample starts before the parser is set up, because the parser's memory would be part of
        // each sample.
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
