import ArgumentParser
import CommandLineSupport
import Glibc
import LabFiles
import LabTorture
import SQLAnalysis

/// Starts the process. Victims and workers of a campaign begin their work at once, and all other
/// processes run the command on the command line.
@main
enum Program {
    static func main() {
        let all = CommandLine.arguments
        if TortureVictim.isAsked(all) { TortureVictim.main(all[2]) }
        if all.dropFirst() == [ScenarioWorker.subcommand] { ScenarioWorker.main() }
        if all.dropFirst() == [ProgramWorker.subcommand] { ProgramWorker.main() }
        ForeignModels.expect()
        CleanUpOnSignals.start()
        let arguments = ColourGroup.first(Array(all.dropFirst()))
        if let complaint = CommandSuggestion.complaint(arguments, of: Attacks.self) {
            Console.note(complaint)
            exit(ExitStatus.usage.rawValue)
        }
        Attacks.main(arguments)
    }
}

/// The commands that need the attacks; `faultline` runs this program for them.
struct Attacks: ParsableCommand {
    // The name is that of the tool, because users of the tool read the help and the messages.
    static let configuration = CommandConfiguration(
        commandName: "faultline",
        abstract: "The commands of faultline that attack the engine and check the lab.",
        version: FaultlineVersion.text,
        subcommands: [TortureCommand.self, SelfCheckCommand.self, FuzzWorkerCommand.self])

    /// The option that controls coloured output.
    @OptionGroup var colour: ColourGroup
}
