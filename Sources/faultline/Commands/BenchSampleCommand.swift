import ArgumentParser
import LabBench

/// The command that `bench` runs in a new process for each sample.
struct BenchSampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: SampleWorker.subcommand,
        abstract: "Measures one sample that standard input describes.", shouldDisplay: false)

    func run() throws {
        SampleWorker.main()
    }
}
