import ArgumentParser
import CommandLineSupport
import CrashAttacks
import Glibc
import LabFiles
import LabTorture
import SQLAnalysis

/// The entry point. Victims and workers of a campaign start their work immediately. For all other
/// processes, the command line is parsed.
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

/// The commands that need `LabTorture`, such as `torture`. The tool `faultline` starts this program
/// for them.
struct Attacks: ParsableCommand {
    // Users read the help and the messages as those of the main tool, so the command has its name.
    static let configuration = CommandConfiguration(
        commandName: "faultline",
        abstract: "The commands of faultline that attack the engine and check the lab.",
        version: FaultlineVersion.text,
        subcommands: [TortureCommand.self, SelfCheckCommand.self, FuzzWorkerCommand.self])

    @OptionGroup var colour: ColourGroup
}
