import ArgumentParser
import LabReport
import LabResults
import LabRunner

struct DiffCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows what differs between two runs, or between two cells of a matrix.",
        discussion: """
            Two results of run or explore --save are compared by scenario and cell: results of \
            two versions, or from before and after a change. With --cells, one scenario file or \
            result is compared with itself in two cells, such as two policies. For a schedule \
            that both ran, the first step at which they part is shown. Exit code 1 if something \
            differs.
            """)

    @Argument(help: "Two results; with --cells one result or scenario file.")
    var files: [String]

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Two cells, such as policy=error policy=objectTrump.", valueName: "cell"))
    var cells: [String] = []

    @Option(help: "How the difference is written: text or markdown.")
    var format: Format = .text

    @OptionGroup var outside: OutsideGroup

    func validate() throws {
        if format == .json || format == .junit {
            throw ValidationError("a diff is written as text or markdown")
        }
        guard [0, 2].contains(cells.count) else {
            throw ValidationError("--cells takes two cells, such as policy=error policy=rollback")
        }
        guard files.count == (cells.isEmpty ? 2 : 1) else {
            throw ValidationError(
                cells.isEmpty
                    ? "give two results, or one file with --cells"
                    : "with --cells give one result or scenario file")
        }
    }

    func status() throws -> ExitStatus {
        let diff = try cells.isEmpty ? ofResults() : ofCells()
        switch format {
        case .markdown: Console.write(DiffMarkdown.page(diff))
        default: Console.write(DiffText(diff, terminal: Console.terminal).text())
        }
        if diff.pairs.isEmpty { return .inconclusive }
        return diff.isEmpty ? .expected : .failed
    }

    private func ofResults() throws -> RunDiff {
        RunDiff(
            before: try result(files[0]), named: files[0], after: try result(files[1]),
            named: files[1])
    }

    private func ofCells() throws -> RunDiff {
        let report = try files[0].hasSuffix(".yaml") ? explored(files[0]) : result(files[0])
        return RunDiff(try cell(cells[0], in: report), try cell(cells[1], in: report))
    }

    private func explored(_ file: String) throws -> RunReport {
        let progress = ProgressLine()
        defer { progress.finish() }
        var suite = outside.suite
        suite.options.timelines = .all
        return try suite.explore(file, progress: progress.sink)
    }

    private func result(_ file: String) throws(InputError) -> RunReport {
        guard case .run(let report) = try ResultFile.read(try Places.read(file), file: file) else {
            throw InputError(
                file: file, problem: "this is no result of run or explore",
                remedy: "give a file that 'run --save' or 'explore --save' wrote")
        }
        return report
    }

    private func cell(_ cell: String, in report: RunReport) throws(InputError) -> ScenarioResult {
        let found = report.scenarios.filter { $0.cellText == cell }
        if found.count == 1 { return found[0] }
        let known = report.scenarios.map(\.cellText).filter { !$0.isEmpty }
        throw InputError(
            file: files[0],
            problem: found.isEmpty
                ? "there is no cell '\(cell)'" : "several scenarios have a cell '\(cell)'",
            remedy: found.isEmpty
                ? "write one of \(known.joined(separator: " "))"
                : "give a scenario file, or the result of one scenario")
    }
}
