import ArgumentParser
import CommandLineSupport
import Foundation
import LabFiles
import LabReport
import LabResults
import LabRunner
import ReportParts

/// The options that the commands over scenario files share.
package struct ScenarioOptionsGroup: ParsableArguments {
    @Option(help: "The maximum number of interleavings to run in a cell.")
    package var limit: Int?

    @Option(help: "Seed of random choices.")
    package var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "The choice of interleavings: exhaustive, reduced (one for each class), bounded:N "
                + "preemptions, pct, pct:DEPTH, random, portfolio, pinned. By default all "
                + "interleavings if there are at most 5,000; otherwise a random sample, and then "
                + "reduced."))
    package var strategy: String?

    @Option(help: ArgumentHelp("Stop all cells after this time in total.", valueName: "seconds"))
    package var timeBudget: Double?

    @Option(help: ArgumentHelp("Run part i of n; merge joins the results.", valueName: "i/n"))
    package var shard: String?

    @OptionGroup var workers: JobsGroup

    @Flag(help: "Fail if a fixture is missing, instead of skipping the scenarios that need it.")
    package var requireFixtures = false

    @OptionGroup var outside: OutsideGroup

    package init() {}

    package func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
        if let timeBudget, !(timeBudget > 0 && timeBudget < 1e9) {
            throw ValidationError("--time-budget must be a number of seconds above 0")
        }
        var options = SuiteOptions()
        if let strategy, !options.setStrategy(strategy) {
            throw ValidationError(
                "--strategy '\(strategy)' is unknown; write one of "
                    + SuiteOptions.strategyForms.joined(separator: ", "))
        }
        if let shard, !options.setShard(shard) {
            throw ValidationError("--shard '\(shard)' is not a part; write i/n with i from 1 to n")
        }
        if shard != nil, let strategy, ["portfolio", "pinned"].contains(strategy) {
            throw ValidationError(
                "--strategy \(strategy) cannot be divided; write exhaustive, reduced, bounded:N, "
                    + "pct or random with --shard")
        }
    }

    package var suite: ScenarioSuite { ScenarioSuite(suiteOptions) }

    package var suiteOptions: SuiteOptions {
        var options = SuiteOptions()
        options.policies = LabCommandLine.policies
        options.limit = limit
        options.seed = seed
        options.requiresFixtures = requireFixtures
        options.allowsOutside = outside.allowOutside
        // `validate()` has checked both values, so these calls cannot fail.
        if let strategy { _ = options.setStrategy(strategy) }
        if let shard { _ = options.setShard(shard) }
        options.timeBudget = timeBudget.map { .seconds($0) }
        options.jobs = workers.jobs
        return options
    }
}

/// The option that sets the number of threads.
package struct JobsGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The number of threads that run interleavings; one for each core by default. "
                + "The results do not depend on this number unless the time runs out.",
            valueName: "n"))
    package var jobs = ProcessInfo.processInfo.activeProcessorCount

    package init() {}

    package func validate() throws {
        guard (1...Self.most).contains(jobs) else {
            throw ValidationError("--jobs must be a number from 1 to \(Self.most)")
        }
    }

    /// The maximum number of threads. Each thread needs memory for a store and models.
    private static let most = 256
}

/// The output destinations for the results of scenarios.
package struct RunOutputGroup: ParsableArguments {
    @Option(help: "The format of the results: text, markdown, json or junit.")
    package var format: Format = .text

    @Option(help: ArgumentHelp("Write the result as JSON.", valueName: "file"))
    package var save: String?

    @Option(help: ArgumentHelp("Write a folder with Markdown, HTML and JSON.", valueName: "folder"))
    package var report: String?

    /// All timelines if an output contains them, otherwise none.
    package var timelines: SuiteOptions.Timelines {
        save != nil || report != nil || format == .json ? .all : .none
    }

    package init() {}

    package func write(_ result: RunReport, isFull: Bool) throws {
        Console.write(try format.text(result, isFull: isFull))
        if let save { try Places.write(try ResultFile.text(result), to: save) }
        if let report {
            try Places.write(ReportSite([try .run(result)]).files(), below: report)
        }
    }
}
