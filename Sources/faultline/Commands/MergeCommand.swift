import ArgumentParser
import CommandLineSupport
import LabCommands
import LabFiles
import LabResults
import LabRunner

struct MergeCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Joins the results of shards into the result that one process would have.",
        discussion: """
            Reads the scenario again and first runs the schedules that the shards reported, so \
            that the result equals that of one process byte for byte. The result may differ if a \
            limit or the time ended a shard, because each shard has its own limit.
            """,
        examples: ["merge shard-1.json shard-2.json --format markdown"])

    @Argument(help: "Results that explore --shard i/n --save wrote.")
    var results: [String]

    @OptionGroup var output: RunOutputGroup

    @OptionGroup var outside: OutsideGroup

    func status() throws -> ExitStatus {
        var reports: [(file: String, report: RunReport)] = []
        for file in results {
            let data = try Places.read(file)
            guard let report = try ResultFile.read(RunReport.self, from: data, file: file) else {
                throw InputError(
                    file: file, problem: "this file is not a result of explore",
                    remedy: "give files that 'explore --shard i/n --save' wrote")
            }
            reports.append((file, report))
        }
        var suite = outside.suite
        suite.options.timelines = output.timelines
        let merged = try suite.merge(reports)
        try output.write(merged, isFull: true)
        return ExitStatus(merged, requiresFixtures: false)
    }
}
