import ArgumentParser
import CommandLineSupport

/// The options of `selfcheck`. `faultline` uses them for its help. `faultline-torture`, which runs
/// the checks, parses them.
package struct SelfCheckOptionsGroup: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "selfcheck",
        abstract: "Tests the lab itself: reduction, determinism, and changes without effect.",
        discussion: """
            Exit code 1 if reduction loses something or a neutral change has an effect; 4 if a \
            repeated run differs.
            """,
        examples: [
            "selfcheck", "selfcheck Scenarios --repeats 1000 --scenarios 100",
            "selfcheck --only code --programs 10000",
        ])

    @Argument(help: "Scenario files, or folders of scenario files. By default: Scenarios.")
    package var paths: [String] = []

    @Option(help: "The number of runs to repeat.")
    package var repeats = 10_000

    @Option(help: "Cells with more schedules are not compared with brute force.")
    package var atMost = 5_000

    @Option(help: "The number of random scenarios to explore by every strategy and by brute force.")
    package var scenarios = 2_000

    @Option(help: "The number of random programs to explore by reduction and by brute force.")
    package var programs = 1_000

    @Option(help: "Seed of the random scenarios and programs.")
    package var seed: UInt64 = 1

    @Option(
        help: """
            A check to run: reduction (of the scenarios), walks (over random scenarios), code \
            (random programs), determinism, changes (without effect). Repeat the option to run \
            several checks; by default all run.
            """)
    package var only: [SelfCheckPart] = []

    @OptionGroup package var workers: JobsGroup

    @OptionGroup package var outside: OutsideGroup

    package init() {}

    package func includes(_ part: SelfCheckPart) -> Bool { only.isEmpty || only.contains(part) }

    package func validate() throws {
        guard repeats >= 1, atMost >= 1, scenarios >= 0, programs >= 0 else {
            throw ValidationError(
                "--repeats and --at-most must be at least 1, --scenarios and --programs at least 0")
        }
    }
}

/// A check that `faultline selfcheck --only` can select.
package enum SelfCheckPart: String, CaseIterable, Sendable, ExpressibleByArgument {
    case reduction, walks, code, determinism, changes
}
