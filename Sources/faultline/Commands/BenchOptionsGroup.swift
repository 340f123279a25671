// Owns the options that `bench` and `gate` share: what is measured, and how much of it.

import ArgumentParser
import LabBench
import LabResults

extension BenchPreset: ExpressibleByArgument {
    /// The preset of a name.
    package init?(argument: String) {
        guard let preset = BenchPreset.all.first(where: { $0.name == argument }) else { return nil }
        self = preset
    }

    /// The names of all presets.
    package static var allValueStrings: [String] { all.map(\.name) }
}

struct BenchOptionsGroup: ParsableArguments {
    @Argument(help: "Workload files, or folders of them. Without any: Workloads.")
    var paths: [String] = []

    @Option(help: "How much is measured: smoke, quick (the default) or full.")
    var preset: BenchPreset?

    @Option(help: "Seed of the data.")
    var seed: UInt64?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("A parameter's value, or several to sweep.", valueName: "name=1,10,100"))
    var settings: [String] = []

    @Flag(help: .hidden)
    var plantExtraStatement = false

    /// Measures, with progress on a terminal.
    ///
    /// - Parameter baseline: what will be compared; its preset is taken where none was given.
    func measure(like baseline: BenchReport? = nil) throws -> BenchReport {
        let known = baseline.flatMap { BenchPreset(argument: $0.preset) }
        let options = BenchOptions(
            preset: preset ?? known ?? .quick,
            overrides: try settings.map { try ParameterOverride($0) }, seed: seed,
            plantsExtraStatement: plantExtraStatement)
        let progress = ProgressLine()
        defer { progress.finish() }
        return try BenchSuite.run(
            Places.paths(paths, default: "Workloads"), options: options, progress: progress.sink)
    }
}
