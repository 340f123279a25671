import BenchCommands
import CoreData
import LabBench

/// Runs the benchmarks of workloads that are written in Swift.
public enum FaultlineBench {
    /// Runs the command line of `faultline bench`, `gate`, `compare` and `report` for these
    /// workloads, and ends the process. Call it as the only statement of `main`.
    ///
    /// Without a command it measures and prints counts, times and SQL; `--help` lists the rest.
    /// `gate --base GIT-REF` builds the same product from that commit of the package's repository
    /// and measures both builds in the same rounds. Exit codes: 0 as expected; 1 if something got
    /// worse; 2 if an input cannot be used or the build is a debug build; 3 if nothing or not
    /// everything was compared; 64 for a usage error; 70 if a workload failed.
    public static func main(_ workloads: [BenchWorkload]) -> Never {
        let names = workloads.map(\.name)
        for (index, name) in names.enumerated() where names[..<index].contains(name) {
            OwnBench.refuse("another workload is named '\(name)'; choose a different name")
        }
        for workload in workloads {
            KnownOperations.add(
                workload.declaration, model: workload.model, prepare: workload.prepare,
                run: workload.run)
        }
        // The sample starts before any other set-up, whose memory would otherwise be part of the
        // sample.
        if CommandLine.arguments.dropFirst() == [SampleWorker.subcommand] { SampleWorker.main() }
        OwnBench.main(CommandLine.arguments)
    }
}
