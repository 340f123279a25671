import ArgumentParser
import CommandLineSupport
import Foundation
import LabCommands
import LabRunner
import ReportParts

struct MutantsCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants",
        abstract:
            "Adds small faults to the engine, and reports the scenarios that notice each fault.",
        discussion: """
            Needs a debug build: swift run faultline mutants. Exit code 1 if a fault survives, or \
            if the table differs from the committed table.
            """,
        examples: ["mutants", "mutants --bless"])

    static let file = "Scenarios/mutants.md"

    @Argument(help: "Scenario files, or folders of scenario files. By default: Scenarios.")
    var paths: [String] = []

    @Option(parsing: .upToNextOption, help: "The faults to try; by default all.")
    var only: [String] = []

    @Flag(help: "Rewrite \(file) instead of comparing it.")
    var bless = false

    @OptionGroup var outside: OutsideGroup

    func validate() throws {
        if bless, !isWhole {
            throw ValidationError("--bless allows neither paths nor --only; leave them out")
        }
    }

    /// Whether all faults and all scenarios run. Only then can the result be compared with the
    /// table.
    private var isWhole: Bool { paths.isEmpty && only.isEmpty }

    func status() throws -> ExitStatus {
        guard ScenarioSuite.canMutate else {
            throw ValidationError(
                "this is a release build, which has no mutants; run 'swift run faultline mutants'")
        }
        let place = Places.inRoot(Self.file)
        let committed: String? =
            bless ? "" : (try? Places.read(place)).map { String(decoding: $0, as: UTF8.self) }
        let progress = ProgressLine()
        defer { progress.finish() }
        let results = try outside.suite.mutants(
            Places.paths(paths, default: "Scenarios"), names: only,
            likely: Self.killers(committed ?? ""), progress: progress.sink)
        progress.finish()
        Console.write(Self.table(results, { $0.text() }))
        let killed = results.count { $0.killer != nil }
        Console.write("\n\(killed) of \(results.count) mutants killed\n")
        if results.isEmpty { return .inconclusive }
        if bless { try Places.write(Self.page(results), to: place) }
        let isAsCommitted = bless || !isWhole || committed == Self.page(results)
        if !isAsCommitted {
            Console.note(
                "\(Self.file) differs; run 'swift run faultline mutants --bless' to update it")
        }
        return killed == results.count && isAsCommitted ? .expected : .failed
    }

    private static func table(
        _ results: [MutantResult], _ form: (Table) -> String
    ) -> String {
        var table = Table([.init("mutant"), .init("fault"), .init("killed by"), .init("because")])
        for result in results {
            table.add([
                result.name, result.meaning, result.killer ?? "SURVIVES",
                String(result.how.prefix(100)),
            ])
        }
        return form(table)
    }

    private static func page(_ results: [MutantResult]) -> String {
        """
        # Which scenario notices which fault

        A debug build can plant one small fault at a time into the engine. The command
        `swift run faultline mutants` plants each fault, first runs the scenario that this table
        names, and fails if no scenario notices the fault.


        """ + table(results) { $0.markdown() }
    }

    /// The scenarios that detected the faults, by the names of the faults, from a committed table.
    private static func killers(_ page: String) -> [String: String] {
        var killers: [String: String] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.components(separatedBy: " | ")
            if cells.count == 4 { killers[String(cells[0].dropFirst(2))] = cells[2] }
        }
        return killers
    }
}
