// Owns the options that the commands over scenario files share.

import ArgumentParser
import LabReport
import LabResults
import LabRunner

struct ScenarioOptionsGroup: ParsableArguments {
    @Option(help: "How many interleavings of a cell are run before sampling begins.")
    var limit: Int?

    @Option(help: "Seed of the sample beyond the limit.")
    var seed: UInt64?

    @Flag(help: "Fail where a fixture is missing, instead of skipping what needs it.")
    var requireFixtures = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
    }

    /// The lab, set up as the options say.
    var suite: ScenarioSuite {
        var options = SuiteOptions()
        options.limit = limit
        options.seed = seed
        options.requiresFixtures = requireFixtures
        return ScenarioSuite(options)
    }
}

/// Where the results of scenarios go.
struct RunOutputGroup: ParsableArguments {
    @Option(help: "How results are written: text, markdown, json or junit.")
    var format: Format = .text

    @Option(help: ArgumentHelp("Write the result as JSON.", valueName: "file"))
    var save: String?

    @Option(help: ArgumentHelp("Write a folder with Markdown, HTML and JSON.", valueName: "folder"))
    var report: String?

    /// Writes a result everywhere it was asked for.
    func write(_ result: RunReport, isFull: Bool) throws {
        Console.write(try format.text(result, isFull: isFull))
        if let save { try Places.write(try ResultFile.text(result), to: save) }
        if let report {
            try Places.write(try ReportSite.files(.init(run: result)), below: report)
        }
    }
}
