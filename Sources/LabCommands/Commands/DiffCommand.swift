import ArgumentParser
import CommandLineSupport
import LabFiles
import LabReport
import LabResults
import LabRunner

package struct DiffCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows the differences between two runs, or between two cells of a matrix.",
        discussion: """
            Two results of run or explore --save are compared by scenario and cell: results of \
            two versions, or from before and after a change. With --cells, one scenario file or \
            result is compared with itself in two cells, such as two policies: the scenario, and \
            each of its cures. +CURE:CELL is a cell of the cure, +CURE a cure without a matrix: \
            --cells policy=error +CURE:policy=error shows the effect of the cure. For a \
            schedule that both ran, the first step at which they differ is shown. Exit code 1 if \
            something differs.
            """,
        examples: [
            "diff before.json after.json",
            "diff two-raises.yaml --cells policy=error policy=objectTrump",
        ])

    @Argument(help: "Two results; with --cells one result or scenario file.")
    package var files: [String]

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Two cells, such as policy=error policy=objectTrump, or +CURE:policy=error.",
            valueName: "cell"))
    package var cells: [String] = []

    @Option(help: "The format of the difference: text or markdown.")
    package var format: Format = .text

    @OptionGroup var outside: OutsideGroup

    package init() {}

    package func validate() throws {
        if format == .json || format == .junit {
            throw ValidationError("--format must be text or markdown for diff")
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

    package func status() throws -> ExitStatus {
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
        return RunDiff(
            cells: try results(cells[0], beside: cells[1], in: report), named: cells[0],
            with: try results(cells[1], beside: cells[0], in: report), named: cells[1])
    }

    private func explored(_ file: String) throws -> RunReport {
        let progress = ProgressLine()
        defer { progress.finish() }
        var suite = outside.suite
        suite.options.timelines = .all
        return try suite.explore(file, progress: progress.sink)
    }

    private func result(_ file: String) throws(InputError) -> RunReport {
        let data = try Places.read(file)
        guard let report = try ResultFile.read(RunReport.self, from: data, file: file) else {
            throw InputError(
                file: file, problem: "this file is not a result of run or explore",
                remedy: "give a file that 'run --save' or 'explore --save' wrote")
        }
        return report
    }

    /// The results that an argument of `--cells` names. If one of the two arguments names a cure,
    /// this is one result. Otherwise it is the named cell of the scenario and of all its cures.
    private func results(
        _ address: String, beside other: String, in report: RunReport
    ) throws(InputError) -> [ScenarioResult] {
        let isAlone = address.hasPrefix("+") || other.hasPrefix("+")
        let found = report.scenarios.filter { $0.isMeant(by: address, isAlone: isAlone) }
        if !found.isEmpty, found.count == 1 || !isAlone { return found }
        let known = report.scenarios.map(\.address)
        let distinct = known.enumerated().filter { known.firstIndex(of: $0.element) == $0.offset }
            .map(\.element)
        throw InputError(
            file: files[0],
            problem: found.isEmpty
                ? "no cell is named '\(address)'" : "'\(address)' names several cells",
            remedy: found.count > 1
                ? "give a scenario file, or the result of one scenario"
                : "write one of \(distinct.joined(separator: " "))")
    }
}

extension ScenarioResult {
    private var cure: String? {
        let parts = name.split(separator: "+", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : nil
    }

    private var cellLabel: String { cellText.isEmpty ? "-" : cellText }

    /// The argument of `--cells` that names only this result.
    fileprivate var address: String { cure.map { "+\($0):\(cellLabel)" } ?? cellLabel }

    fileprivate func isMeant(by address: String, isAlone: Bool) -> Bool {
        if address.hasPrefix("+") {
            return address == self.address || cure != nil && self.address == "\(address):-"
        }
        return cellLabel == address && (cure == nil || !isAlone)
    }
}
