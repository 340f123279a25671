import ArgumentParser
import CommandLineSupport
import LabResults

extension TorturePreset: ExpressibleByArgument {}

/// The options of `torture`. `faultline` uses them for its help. `faultline-torture`, which runs
/// the attacks, parses them.
package struct TortureOptionsGroup: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "torture",
        abstract: "Attacks the engine: kills, failing disks, power cuts, odd inputs.",
        discussion: """
            The seed and an attempt's number determine the attempt. A stopped campaign continues \
            if --report names its report. Exit code 1 if anything was lost or broken.
            """,
        examples: [
            "torture --preset short", "torture --preset night --report night.json",
            "torture --scenarios --attempts 1000",
        ])

    @Option(help: "The length of the campaign: short (a minute) or night (hours).")
    package var preset: TorturePreset = .short

    @Option(help: "The seed of the attempts.")
    package var seed: UInt64 = 1

    @Option(parsing: .upToNextOption, help: "The parts to run; by default all.")
    package var only: [String] = []

    @Flag(help: "Run only random scenarios; the same as --only scenarios.")
    package var scenarios = false

    @Option(help: "Run this number of attempts of each part, however long they take.")
    package var attempts: Int?

    @Option(
        help: ArgumentHelp(
            "Attack for this time; each part has a minimum number of attempts in any case.",
            valueName: "seconds"))
    package var timeBudget: Double?

    @Option(help: "The number of the first attempt; add --attempts 1 to repeat a failed one.")
    package var first = 0

    @Option(help: "A JSON file with the results; if it exists, the campaign continues from it.")
    package var report: String?

    package init() {}

    package func validate() throws {
        guard attempts.map({ $0 >= 1 }) ?? true else {
            throw ValidationError("--attempts must be at least 1")
        }
        if let timeBudget, !(timeBudget > 0 && timeBudget < 1e9) {
            throw ValidationError("--time-budget must be a number of seconds above 0")
        }
        guard attempts == nil || timeBudget == nil else {
            throw ValidationError("--attempts and --time-budget exclude each other; pass only one")
        }
        guard first >= 0, first == 0 || report == nil else {
            throw ValidationError(
                "--first must be at least 0, and cannot be combined with --report")
        }
    }

    /// The names of the requested parts. If the list is empty, all parts run.
    package var wanted: [String] { only + (scenarios ? ["scenarios"] : []) }
}
