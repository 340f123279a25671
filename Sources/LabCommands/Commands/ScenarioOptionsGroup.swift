import ArgumentParser
import CommandLineSupport
import Foundation
import LabReport
import LabResults
import LabRunner

/// The options that the commands over scenario files share.
package struct ScenarioOptionsGroup: ParsableArguments {
    @Option(help: "The most interleavings of a cell that are run.")
    package var limit: Int?

    @Option(help: "Seed of what is drawn at random.")
    package var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "How interleavings are chosen: exhaustive, reduced (one for each class), bounded:N "
                + "preemptions, pct, pct:DEPTH, random, portfolio, pinned. Without it: all up to "
                + "5,000; of more a sample, then reduced."))
    package var strategy: String?

    @Option(help: ArgumentHelp("Stop after this time for all cells.", valueName: "seconds"))
    package var timeBudget: Double?

    @Option(help: ArgumentHelp("Run part i of n; merge joins the results.", valueName: "i/n"))
    package var shard: String?

    @OptionGroup var workers: JobsGroup

    @Flag(help: "Fail where a fixture is missing, instead of skipping what needs it.")
    package var requireFixtures = false

    @OptionGroup var outside: OutsideGroup

    package init() {}

    package func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
        if let timeBudget, !(timeBudget > 0 && timeBudget < 1e9) {
            throw ValidationError("--time-budget is a number of seconds above 0")
        }
        var options = SuiteOptions()
        if let strategy, !options.setStrategy(strategy) {
            throw ValidationError(
                "--strategy '\(strategy)' is unknown; write one of "
                    + SuiteOptions.strategyForms.joined(separator: ", "))
        }
        if let shard, !options.setShard(shard) {
            throw ValidationError("--shard '\(shard)' is no part; write i/n with i from 1 to n")
        }
        if shard != nil, let strategy, ["portfolio", "pinned"].contains(strategy) {
            throw ValidationError(
                "--strategy \(strategy) cannot be divided; write exhaustive, reduced, bounded:N, "
                    + "pct or random with --shard")
        }
    }

    /// The lab, set up as the options say.
    package var suite: ScenarioSuite { ScenarioSuite(suiteOptions) }

    package var suiteOptions: SuiteOptions {
        var options = SuiteOptions()
        options.policies = LabCommandLine.policies
        options.limit = limit
        options.seed = seed
        options.requiresFixtures = requireFixtures
        options.allowsOutside = outside.allowOutside
        // Validated above; a wrong one never comes here.
        if let strategy { _ = options.setStrategy(strategy) }
        if let shard { _ = options.setShard(shard) }
        options.timeBudget = timeBudget.map { .seconds($0) }
        options.jobs = workers.jobs
        return options
    }
}

/// How many threads a command has.
package struct JobsGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many threads run interleavings; results are the same with any number, unless time "
                + "ends them. Without it: one for each core.",
            valueName: "n"))
    package var jobs = ProcessInfo.processInfo.activeProcessorCount

    package init() {}

    package func validate() throws {
        guard (1...Self.most).contains(jobs) else {
            throw ValidationError("--jobs is a number from 1 to \(Self.most)")
        }
    }

    /// Each has a store and models of its own.
    private static let most = 256
}

/// Where the results of scenarios go.
package struct RunOutputGroup: ParsableArguments {
    @Option(help: "How results are written: text, markdown, json or junit.")
    package var format: Format = .text

    @Option(help: ArgumentHelp("Write the result as JSON.", valueName: "file"))
    package var save: String?

    @Option(help: ArgumentHelp("Write a folder with Markdown, HTML and JSON.", valueName: "folder"))
    package var report: String?

    /// Timelines are made if the result goes where pictures are drawn from it.
    package var timelines: SuiteOptions.Timelines {
        save != nil || report != nil || format == .json ? .all : .none
    }

    package init() {}

    /// Writes a result everywhere it was asked for.
    package func write(_ result: RunReport, isFull: Bool) throws {
        Console.write(try format.text(result, isFull: isFull))
        if let save { try Places.write(try ResultFile.text(result), to: save) }
        if let report {
            try Places.write(try ReportSite.files(.init(run: result)), below: report)
        }
    }
}
