import ArgumentParser
import CommandLineSupport
import LabReport
import LabResults
import LabRunner

package struct StoresCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "stores",
        abstract: "Compares the outcomes of scenarios on several stores.",
        discussion: """
            Runs each scenario on the store of its file and on each store of --store, and writes a \
            page with a table of the differences and their reasons. Exit code 1 if a difference \
            has no known reason. At the levels that pin contexts, a difference without an error \
            counts as an effect of pinning.
            """,
        examples: [
            "stores Scenarios/transactions --store postgresql --store postgresql:serializable"
        ])

    @Argument(help: "Scenario files, or folders of scenario files. By default: Scenarios.")
    package var paths: [String] = []

    @OptionGroup var scenarios: ScenarioOptionsGroup

    @Option(
        help: ArgumentHelp(
            "A store to compare with that of the files. The option can be repeated. By default"
                + " postgresql with each level.",
            valueName: "store"))
    package var store: [String] = [
        "postgresql:read-committed", "postgresql:repeatable-read", "postgresql:serializable",
    ]

    @Option(
        help: ArgumentHelp("The file of the page; by default standard output.", valueName: "file"))
    package var output: String?

    package init() {}

    package func status() throws -> ExitStatus {
        let progress = ProgressLine()
        defer { progress.finish() }
        var columns: [StoresMarkdown.Column] = []
        for name in [nil] + store.map(Optional.some) {
            var options = scenarios.suiteOptions
            options.store = try name.map(StoreHosts.choice)
            let report = try ScenarioSuite(options).run(
                Places.paths(paths, default: "Scenarios"), progress: progress.sink)
            columns.append(
                StoresMarkdown.Column(
                    store: name ?? "file's own", isPinned: options.store?.pinsContexts ?? false,
                    report: report))
        }
        progress.finish()
        let page = StoresMarkdown(columns, limit: scenarios.limit)
        if let output { try Places.write(page.text, to: output) } else { Console.write(page.text) }
        for name in page.unexplained {
            Console.note(
                "\(name): a difference has no known reason; compare its outcomes on both stores"
                    + " with the command explore and the option --store")
        }
        return page.unexplained.isEmpty ? .expected : .failed
    }
}
