import ArgumentParser
import CommandLineSupport
import Foundation
import Glibc
import LabBench
import LabFiles

/// The command line of a program that declares its workloads in Swift.
package struct OwnBench: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: ProgramName.text,
        abstract: "Measures this package's own workloads, and gates them.",
        discussion: """
            Without a command it measures; `\(ProgramName.text) help bench` lists the options.

            Workloads:
            \(list)

            Exit codes: 0 as expected; 1 something got worse; 2 an input could not be used; \
            3 nothing, or not everything, was compared; 64 usage; 70 internal error; \
            74 the output cannot be written.

            Examples:
              \(ProgramName.text) --rounds 9 --save before.json
              \(ProgramName.text) gate --base main --annotations --junit gate.xml
              \(ProgramName.text) compare before.json after.json
            """,
        version: "built with Faultline \(FaultlineVersion.text)",
        subcommands: [
            BenchCommand.self, GateCommand.self, CompareCommand.self,
            ReportCommand<BenchPages>.self,
        ],
        defaultSubcommand: BenchCommand.self)

    @OptionGroup package var colour: ColourGroup

    package init() {}

    private static var list: String {
        KnownOperations.workloads.map { "  \($0.name): \($0.about)" }.joined(separator: "\n")
    }

    /// Runs the command that the arguments name. Ends the process with the command's exit status.
    ///
    /// - Parameter all: the program's arguments, which begin with its path.
    package static func main(_ all: [String]) -> Never {
        BenchProgram.becomeOwn()
        CleanUpOnSignals.start()
        let arguments = ColourGroup.first(Array(all.dropFirst()))
        if let complaint = CommandSuggestion.complaint(
            arguments, of: OwnBench.self, isFile: { FileManager.default.fileExists(atPath: $0) })
        {
            Console.note(complaint)
            Glibc.exit(ExitStatus.usage.rawValue)
        }
        do {
            var command = try OwnBench.parseAsRoot(arguments)
            try command.run()
        } catch {
            OwnBench.exit(withError: error)
        }
        Glibc.exit(ExitStatus.expected.rawValue)
    }

    /// Ends the process because its workloads cannot be used.
    package static func refuse(_ problem: String) -> Never {
        Console.note(problem)
        Glibc.exit(ExitStatus.unusableInput.rawValue)
    }
}
