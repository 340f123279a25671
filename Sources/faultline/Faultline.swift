import ArgumentParser
import BenchCommands
import CommandLineSupport
import LabCommands

/// The command line of the tool. Each command parses its arguments, calls one function, prints the
/// result, and exits.
struct Faultline: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "faultline",
        abstract: "Runs merge-conflict scenarios and fetch workloads against Core Data's engine.",
        discussion: """
            Without a command it runs the scenario catalogue, the policy matrix and the quick \
            workloads, and writes Reports/.

            Exit codes: 0 as expected; 1 an expectation or a gate failed; 2 an input could not be \
            used; 3 inconclusive, or nothing was checked; 4 not deterministic; 64 usage; \
            70 internal error; 74 the output cannot be written.
            """,
        version: FaultlineVersion.text,
        subcommands: [
            RunCommand.self, ExploreCommand.self, ReplayCommand.self, ShrinkCommand.self,
            StepCommand.self, JudgeCommand.self, MergeCommand.self, DiffCommand.self,
            MatrixCommand.self, StoresCommand.self,
            MutantsCommand.self, SelfCheckCommand.self,
            BenchCommand.self, GateCommand.self, CompareCommand.self, ReportCommand<AllPages>.self,
            SchemaCommand.self, LintCommand.self, NewCommand.self, BlessCommand.self,
            SQLCommand.self, FetchCommand.self, ModelCommand.self, StoreCommand.self,
            TortureCommand.self, PortCommand.self, ManualCommand.self, BenchSampleCommand.self,
        ])

    /// The option for coloured output. It may also follow a command's name.
    @OptionGroup var colour: ColourGroup

    func status() throws -> ExitStatus { try Overview.run() }
}
