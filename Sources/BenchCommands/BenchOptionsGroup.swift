import ArgumentParser
import BenchResults
import CommandLineSupport
import LabBench

extension BenchPreset: ExpressibleByArgument {
    package init?(argument: String) {
        guard let preset = BenchPreset.all.first(where: { $0.name == argument }) else { return nil }
        self = preset
    }

    package static var allValueStrings: [String] { all.map(\.name) }
}

extension Plant: ExpressibleByArgument {}

/// The options that `bench` and `gate` share: the workloads, and the amount of work.
package struct BenchOptionsGroup: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Workload files, or their folders. By default Workloads, or the declared workloads."
        ))
    package var paths: [String] = []

    @Option(help: "The amount of work: smoke, quick (the default) or full.")
    package var preset: BenchPreset?

    @Option(help: "The number of processes for each side (engine, C); by default the preset's.")
    package var rounds: Int?

    @Option(help: "The number of timed runs in each process; by default the preset's.")
    package var runs: Int?

    @Option(help: "The seed of the generated data.")
    package var seed: UInt64?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("A parameter's value, or several to sweep.", valueName: "name=1,10,100"))
    package var settings: [String] = []

    @Option(
        help: ArgumentHelp("Measure only these workloads, by name.", valueName: "name,name"))
    package var only: String?

    @Option(
        help: ArgumentHelp(
            "A program that does the same work, measured in the same rounds; see Benchmarks/.",
            valueName: "command"))
    package var peer: [String] = []

    @Flag(
        help: "Let workloads name files outside their folders: only for files that you trust.")
    package var allowOutside = false

    @Flag(help: "Measure a debug build. Its times say nothing about a release build.")
    package var allowDebugBuild = false

    @Option(help: .hidden)
    package var plant: Plant?

    package init() {}

    package func validate() throws {
        if let rounds, rounds < 1 { throw ValidationError("--rounds must be at least 1") }
        if let runs, runs < 1 { throw ValidationError("--runs must be at least 1") }
    }

    /// The options of a run.
    ///
    /// - Parameter baseline: a report to compare with. Without `--preset`, the run uses its preset.
    func options(like baseline: BenchReport? = nil) throws -> BenchOptions {
        let known = baseline.flatMap { BenchPreset(argument: $0.preset) }
        var options = BenchOptions(
            preset: preset ?? known ?? .quick,
            overrides: try settings.map { try ParameterOverride($0) }, seed: seed,
            allowsDebugBuild: allowDebugBuild, plant: plant, peers: peer.map { Peer($0) })
        if let rounds { options.preset.rounds = rounds }
        if let runs { options.preset.runs = runs }
        options.allowsOutside = allowOutside
        options.only = Set((only ?? "").split(separator: ",").map(String.init))
        return options
    }

    /// The paths on the command line. By default the repository's folder `Workloads`, or none in a
    /// program that declares its workloads.
    var files: [String] {
        paths.isEmpty && BenchProgram.isOwn ? [] : Places.paths(paths, default: "Workloads")
    }

    /// Measures. Shows the progress if standard error is a terminal.
    func measure() throws -> BenchReport {
        let progress = ProgressLine()
        defer { progress.finish() }
        return try BenchSuite.run(files, options: try options(), progress: progress.sink)
    }
}
