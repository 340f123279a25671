import ArgumentParser
import LabReport
import LabResults

struct MergeCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Joins the results of shards, as if one process had run all schedules.")

    @Argument(help: "Results that explore --shard i/n --save wrote.")
    var results: [String]

    @OptionGroup var output: RunOutputGroup

    func status() throws -> ExitStatus {
        var reports: [(file: String, report: RunReport)] = []
        for file in results {
            guard case .run(let report) = try ResultFile.read(try Places.read(file), file: file)
            else {
                throw InputError(
                    file: file, problem: "this is no result of explore",
                    remedy: "give files that 'explore --shard i/n --save' wrote")
            }
            reports.append((file, report))
        }
        let merged = try ShardMerge(reports).merged()
        try output.write(merged, isFull: true)
        return ExitStatus(merged, requiresFixtures: false)
    }
}
