import ArgumentParser
import LabCommands
import LabReport
import LabResults

struct ReportCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Turns saved results into a folder of Markdown and HTML pages.")

    @Argument(help: "JSON files that run, matrix or bench wrote; at most one of each.")
    var results: [String]

    @Option(help: ArgumentHelp("The folder to write.", valueName: "folder"))
    var to = "Reports"

    func status() throws -> ExitStatus {
        var content = SiteContent()
        for path in results {
            try add(try ResultFile.read(try Places.read(path), file: path), path)
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
                    file: path, problem: "a gate's verdict has no page",
                    remedy: "write it with `./faultline gate --baseline FILE --format markdown`")
            case .torture:
                throw InputError(
                    file: path, problem: "a report of torture has no page",
                    remedy: "give a result of run, matrix or bench")
            case .sql, .fetch:
                throw InputError(
                    file: path, problem: "a log or a fetch has a page of its own",
                    remedy: "write it with `./faultline sql LOG --format html` or"
                        + " `./faultline fetch STORE ENTITY --format html`")
            }
        }
    }

    private func single(_ isFirst: Bool, _ kind: String, _ path: String) throws(InputError) {
        guard !isFirst else { return }
        throw InputError(
            file: path, problem: "a second result of \(kind)", remedy: "give at most one of each")
    }
}
