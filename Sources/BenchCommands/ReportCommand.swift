import ArgumentParser
import BenchReporting
import BenchResults
import CommandLineSupport
import Foundation
import LabFiles
import ReportParts

/// Creates the pages of the results that `report` reads.
package protocol PageSource {
    /// The help about the names of results on the command line.
    static var help: String { get }

    /// The page of a result; nil if results of this kind have no page.
    static func page(_ kind: ResultKind, _ data: Data, file: String) throws -> SitePage?
}

/// Creates the pages for a program that only runs benchmarks.
package enum BenchPages: PageSource {
    package static let help = "A JSON file that bench wrote."

    package static func page(_ kind: ResultKind, _ data: Data, file: String) throws -> SitePage? {
        try ResultFile.read(BenchReport.self, from: data, file: file).map { try .bench($0) }
    }
}

package struct ReportCommand<Pages: PageSource>: StatusCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "report",
            abstract: "Turns saved results into a folder of Markdown and HTML pages.",
            discussion: """
                With --history a page shows how counts and times changed over the saved results of \
                many commits: `bench --save` and `gate --save` write the commit with the results.
                """,
            examples: ["report bench.json --to Pages", "report --history Results --to Pages"])
    }

    @Argument(help: ArgumentHelp(Pages.help))
    package var results: [String] = []

    @Option(
        help: ArgumentHelp(
            "A folder of results that bench or gate saved, for a page of trends.",
            valueName: "folder"))
    package var history: String?

    @Option(help: ArgumentHelp("The folder to write.", valueName: "folder"))
    package var to = "Reports"

    package init() {}

    package func validate() throws {
        if results.isEmpty, history == nil {
            throw ValidationError("name a result, or a folder of results with --history")
        }
    }

    package func status() throws -> ExitStatus {
        var pages: [ResultKind: SitePage] = [:]
        for path in results {
            let data = try Places.read(path)
            let kind = try ResultFile.kind(of: data, file: path)
            guard let page = try Pages.page(kind, data, file: path) else {
                throw Self.refusal(of: kind, path)
            }
            guard pages.updateValue(page, forKey: kind) == nil else {
                let name = kind.rawValue.split(separator: ".").last ?? ""
                throw InputError(
                    file: path, problem: "a second result of \(name)",
                    remedy: "give at most one of each")
            }
        }
        var site = [ResultKind.matrix, .run, .bench].compactMap { pages[$0] }
        if let history {
            let trends = try readHistory(history)
            site.append(.history(trends))
            Console.write(HistoryMarkdown.text(trends) + "\n")
        }
        try Places.write(ReportSite(site).files(), below: to)
        Console.write("\(to)/index.html\n")
        return .expected
    }

    private static func refusal(of kind: ResultKind, _ path: String) -> InputError {
        switch kind {
        case .run, .matrix, .bench:
            InputError(
                file: path, problem: "this program writes pages only for results of bench",
                remedy: "pass the file to the report command of the tool faultline")
        case .gate:
            InputError(
                file: path, problem: "this is a verdict of gate, which has no page",
                remedy: "write it with `./faultline gate --baseline FILE --format markdown`")
        case .torture:
            InputError(
                file: path, problem: "this is a report of torture, which has no page",
                remedy: "give a result of run, matrix or bench")
        case .sql, .fetch:
            InputError(
                file: path,
                problem: "this is a result of sql or fetch, which write their own pages",
                remedy: "write it with `./faultline sql LOG --format html` or"
                    + " `./faultline fetch STORE ENTITY --format html`")
        }
    }

    private func readHistory(_ folder: String) throws(InputError) -> BenchHistory {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw InputError(
                file: folder, problem: "this folder cannot be read",
                remedy: "name a folder of results that `./faultline bench --save FILE` wrote")
        }
        var runs: [(file: String, report: BenchReport)] = []
        for name in names.sorted() where name.hasSuffix(".json") {
            let path = folder + "/" + name
            let data = try Places.read(path)
            guard let report = try ResultFile.read(BenchReport.self, from: data, file: path) else {
                Console.note("\(path): left out, because it is not a result of bench")
                continue
            }
            runs.append((name, report))
        }
        guard !runs.isEmpty else {
            throw InputError(
                file: folder, problem: "this folder contains no result of bench",
                remedy: "save some with `./faultline bench --save FILE`")
        }
        return BenchHistory(runs)
    }
}
