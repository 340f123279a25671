// Owns the options that `bench` and `gate` share: what is measured, and how much of it.

import ArgumentParser
import LabBench
import LabResults

extension BenchPreset: ExpressibleByArgument {
    package init?(argument: String) {
        guard let preset = BenchPreset.all.first(where: { $0.name == argument }) else { return nil }
        self = preset
    }

    package static var allValueStrings: [String] { all.map(\.name) }
}

struct BenchOptionsGroup: ParsableArguments {
    @Argument(help: "Workload files, or folders of them. Without any: Workloads.")
    var paths: [String] = []

    @Option(help: "How much is measured: smoke, quick or full.")
    var preset: BenchPreset = .quick

    @Option(help: "Seed of the data.")
    var seed: UInt64?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("A parameter's value, or several to sweep.", valueName: "name=1,10,100"))
    var settings: [String] = []

    @Flag(help: .hidden)
    var plantExtraStatement = false

    /// Measures, with progress on a terminal.
    func measure() throws -> BenchReport {
        let options = BenchOptions(
            preset: preset, overrides: try settings.map { try ParameterOverride($0) }, seed: seed,
            plantsExtraStatement: plantExtraStatement)
        let progress = ProgressLine()
        defer { progress.finish() }
        return try BenchSuite.run(
            Places.paths(paths, default: "Workloads"), options: options, progress: progress.sink)
    }
}
