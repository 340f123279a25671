import ArgumentParser
import LabBench

/// The command that `bench` starts for every sample, in a new process.
struct BenchSampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: SampleWorker.subcommand,
        abstract: "Measures one sample that standard input describes.", shouldDisplay: false)

    func run() throws {
        SampleWorker.main()
    }
}
