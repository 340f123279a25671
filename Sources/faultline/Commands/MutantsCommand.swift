import ArgumentParser
import LabReport
import LabResults
import LabRunner

struct MutantsCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants",
        abstract: "Gives the engine small faults, and tells which scenario notices each.",
        discussion: "Needs a debug build: swift run faultline mutants. Exit code 1 if one survives."
    )

    @Argument(help: "Scenario files, or folders of them. Without any: Scenarios.")
    var paths: [String] = []

    @Option(parsing: .upToNextOption, help: "The faults to try; all without it.")
    var only: [String] = []

    func status() throws -> ExitStatus {
        guard ScenarioSuite.canMutate else {
            throw ValidationError(
                "this build has no faults to give; run 'swift run faultline mutants'")
        }
        let progress = ProgressLine()
        defer { progress.finish() }
        let results = try ScenarioSuite().mutants(
            Places.paths(paths, default: "Scenarios"), names: only, progress: progress.sink)
        progress.finish()
        var table = Table([.init("mutant"), .init("fault"), .init("killed by"), .init("because")])
        for result in results {
            table.add([
                result.name, result.meaning, result.killer ?? "SURVIVES",
                String(result.how.prefix(60)),
            ])
        }
        let killed = results.count { $0.killer != nil }
        Console.write(table.text())
        Console.write("\n\(killed) of \(results.count) mutants killed\n")
        return results.isEmpty ? .inconclusive : killed == results.count ? .expected : .failed
    }
}
