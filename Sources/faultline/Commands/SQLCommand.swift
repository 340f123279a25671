import ArgumentParser
import CommandLineSupport
import Foundation
import LabFiles
import LabReport
import LabResults
import SQLAnalysis

struct SQLCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract:
            "Reads an SQLDebug log: N+1 chains, repeated faults, missing prefetches, indexes.",
        discussion: """
            Logs come from Xcode's console, from a file, or from this engine; levels 1 to 4 of \
            -com.apple.CoreData.SQLDebug are read, also from mail, web pages, JSON and the \
            unified log. Values that the log lacks stay empty. With two logs the second is \
            compared with the first. Limits apply to the last log; if one is exceeded, the \
            exit code is 1.
            """,
        examples: [
            "sql console.log", "sql before.log after.log --format markdown",
            "sql console.log --store Library.sqlite --format html --output sql.html",
            "sql before.log after.log --max-new-statements 0 --max-n-plus-one 0",
        ])

    @Argument(
        help: "The log; '-' for standard input. Of two logs to compare, the earlier comes first.")
    var logs: [String]

    @Option(help: ArgumentHelp("Name columns and show plans with this store.", valueName: "file"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "Name columns and show plans with this model: .xcdatamodeld, .momd or .mom.",
            valueName: "path"))
    var model: String?

    @Option(help: "The format of the report: text, markdown, html or json.")
    var format: PageFormat = .text

    @Option(
        help: ArgumentHelp(
            "Write the report to this file instead of standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "Show all statements, with their whole text.")
    var full = false

    // The options accept values that begin with a minus sign, so that `validate()` can report a
    // negative number.
    @Option(
        parsing: .unconditional, help: "The minimum number of single reads that form a chain.")
    var chain = 5

    @Option(
        parsing: .unconditional,
        help: "Report a fetch without limit or batch size from this number of rows.")
    var unboundedRows = 1_000

    @OptionGroup(title: "Limits") var limits: SQLLimitsGroup

    func validate() throws {
        if logs.count > 2 { throw ValidationError("name one log, or two logs to compare") }
        if full, format != .text {
            throw ValidationError(
                "--full applies only to text; the other formats always show all statements")
        }
        if chain < 2 { throw ValidationError("--chain is \(chain); write 2 or more") }
        if unboundedRows < 1 {
            throw ValidationError("--unbounded-rows is \(unboundedRows); write 1 or more")
        }
        if limits.maxNewStatements != nil, logs.count < 2 {
            throw ValidationError("--max-new-statements needs an earlier log to compare with")
        }
    }

    func status() throws -> ExitStatus {
        var reader = SQLLogReader()
        reader.chainMin = chain
        reader.unboundedRows = unboundedRows
        try reader.use(store: store, model: model)
        let progress = ProgressLine()
        defer { progress.finish() }
        let reports = try logs.map { name in
            let log = try LogSource(name, progress: progress)
            return try reader.read(name: name) { () throws(InputError) in try log.next() }
        }
        progress.finish()
        guard var report = reports.last else { return .inconclusive }
        if reports.count == 2 { report.compare(with: reports[0]) }
        let unjudged = limits.apply(to: &report)
        let text = try format.text(report, isFull: full)
        if let output { try Places.write(text, to: output) } else { Console.write(text) }
        if !report.holdsLimits { return .failed }
        if !unjudged.isEmpty {
            Console.note(unjudged.map { "\($0)\n" }.joined())
            return .inconclusive
        }
        // A log without statements does not prove that the limits are met.
        return report.totals.statements == 0 ? .inconclusive : .expected
    }
}

/// The format in which `sql` and `fetch` print a report.
enum PageFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
    case html
    case json

    func text(_ report: SQLReport, isFull: Bool) throws -> String {
        switch self {
        case .text:
            SQLLogText(report, terminal: Console.terminal).text(rowsMax: isFull ? nil : 20)
        case .markdown: SQLLogMarkdown.page(report)
        case .html: SQLLogPage.text(report)
        case .json: try ResultFile.text(report)
        }
    }

    func text(_ report: FetchReport) throws -> String {
        switch self {
        case .text: FetchText(report, terminal: Console.terminal).text()
        case .markdown: FetchMarkdown.page(report)
        case .html: FetchPage.text(report)
        case .json: try ResultFile.text(report)
        }
    }
}
