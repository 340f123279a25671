import ArgumentParser
import LabBench

/// What `bench` starts for every sample, in a process of its own.
struct BenchSampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: SampleWorker.subcommand,
        abstract: "Measures one sample that standard input describes.", shouldDisplay: false)

    func run() throws {
        SampleWorker.main()
    }
}
