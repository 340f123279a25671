import ArgumentParser
import CommandLineSupport
import LabFiles
import LabReport
import LabRunner
import ReportParts

package struct MatrixCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "matrix",
        abstract: "Shows the effect of each merge policy on each reported bug.",
        discussion: """
            The matrix is compared with the table of expectations; exit code 1 if they differ.
            """,
        examples: ["matrix", "matrix --format markdown"])

    @Argument(help: "Scenario files, or folders of scenario files. By default: Scenarios.")
    package var paths: [String] = []

    @OptionGroup var scenarios: ScenarioOptionsGroup

    @OptionGroup var store: StoreGroup

    @Option(
        help: ArgumentHelp(
            "The table of expectations. By default \(Expectation.file), if no paths are given.",
            valueName: "file"))
    package var expect: String?

    @Flag(help: "Rewrite the table of expectations instead of comparing with it.")
    package var bless = false

    @Flag(help: "Show only the policies, without other topologies and stores.")
    package var headline = false

    @Option(help: "The format of the matrix: text, markdown or json.")
    package var format: Format = .text

    @Option(help: ArgumentHelp("Write the result as JSON.", valueName: "file"))
    package var save: String?

    @Option(help: ArgumentHelp("Write a folder with Markdown, HTML and JSON.", valueName: "folder"))
    package var report: String?

    package init() {}

    package func validate() throws {
        if bless, store.store != nil {
            throw ValidationError(
                "--bless writes the table of the files' own stores; leave --store out")
        }
        if format == .junit {
            throw ValidationError("matrix does not support --format junit; use run")
        }
        if bless, expect == nil, !paths.isEmpty {
            throw ValidationError("--bless with paths needs --expect FILE")
        }
    }

    package func status() throws -> ExitStatus {
        let progress = ProgressLine()
        defer { progress.finish() }
        var options = scenarios.suiteOptions
        try store.apply(to: &options)
        options.wantsVariants = !headline && store.store == nil
        let matrix = try ScenarioSuite(options).matrix(
            Places.paths(paths, default: "Scenarios"), progress: progress.sink)
        progress.finish()
        Console.write(try format.text(matrix))
        let check = try Expectation.check(
            matrix, expect ?? (paths.isEmpty ? Places.inRoot(Expectation.file) : nil), bless: bless)
        if let save { try Places.write(try ResultFile.text(matrix), to: save) }
        if let report {
            let site = ReportSite([try .matrix(matrix, check: check)])
            try Places.write(site.files(), below: report)
        }
        return Expectation.status(check, matrix)
    }
}
