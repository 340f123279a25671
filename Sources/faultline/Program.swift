import ArgumentParser
import BenchOperations
import CommandLineSupport
import Glibc
import LabBench
import LabCommands
import LabFiles
import LabPostgreSQL
import SQLAnalysis

/// The entry point. A process that `bench` has started measures a sample immediately. For all other
/// processes, the command line is parsed.
@main
enum Program {
    static func main() {
        BuiltInOperations.add()
        PostgreSQLHost.register()
        // A sample starts before the parser is used. Otherwise its memory would include the
        // parser's.
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
