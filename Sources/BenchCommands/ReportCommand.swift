import ArgumentParser
import CommandLineSupport
import Foundation
import LabReport
import LabResults

package struct ReportCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Turns saved results into a folder of Markdown and HTML pages.",
        discussion: """
            With --history a page shows how counts and times changed over the saved results of \
            many commits: `bench --save` and `gate --save` write the commit with the results.
            """,
        examples: ["report bench.json --to Pages", "report --history Results --to Pages"])

    @Argument(help: "JSON files that run, matrix or bench wrote; at most one of each.")
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
        var content = SiteContent()
        for path in results {
            try add(try ResultFile.read(try Places.read(path), file: path), path)
        }
        if let history {
            let trends = try readHistory(history)
            content.history = trends
            Console.write(HistoryMarkdown.text(trends) + "\n")
        }
        try Places.write(try ReportSite.files(content), below: to)
        Console.write("\(to)/index.html\n")
        return .expected

        func add(_ result: AnyResult, _ path: String) throws(InputError) {
            switch result {
            case .run(let run):
                try single(content.run == nil, "run", path)
                content.run = run
            case .matrix(let matrix):
                try single(content.matrix == nil, "matrix", path)
                content.matrix = matrix
            case .bench(let bench):
                try single(content.bench == nil, "bench", path)
                content.bench = bench
            case .gate:
                throw InputError(
                    file: path, problem: "this is a verdict of gate, which has no page",
                    remedy: "write it with `./faultline gate --baseline FILE --format markdown`")
            case .torture:
                throw InputError(
                    file: path, problem: "this is a report of torture, which has no page",
                    remedy: "give a result of run, matrix or bench")
            case .sql, .fetch:
                throw InputError(
                    file: path,
                    problem: "this is a result of sql or fetch, which write their own pages",
                    remedy: "write it with `./faultline sql LOG --format html` or"
                        + " `./faultline fetch STORE ENTITY --format html`")
            }
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
            guard case .bench(let report) = try ResultFile.read(try Places.read(path), file: path)
            else {
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

    private func single(_ isFirst: Bool, _ kind: String, _ path: String) throws(InputError) {
        guard !isFirst else { return }
        throw InputError(
            file: path, problem: "a second result of \(kind)", remedy: "give at most one of each")
    }
}
