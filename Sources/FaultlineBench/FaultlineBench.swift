import BenchCommands
import CoreData
import LabBench

/// Measures workloads that are written in Swift.
public enum FaultlineBench {
    /// Takes the command line of `faultline bench`, `gate`, `compare` and `report` for these
    /// workloads, and ends the process: call it as the only thing in `main`.
    ///
    /// Without a command it measures and prints counts, times and SQL; `--help` lists the rest.
    /// `gate --base GIT-REF` builds the same product from that commit of the package's repository
    /// and measures both builds in the same rounds. Exits with 0; with 1 where something got
    /// worse; 2 where an input cannot be used or the build is a debug build; 3 where nothing or
    /// not everything was compared; 64 for arguments that make no command; 70 where a workload
    /// failed.
    public static func main(_ workloads: [BenchWorkload]) -> Never {
        let names = workloads.map(\.name)
        let taken = Set(Operation.builtIn.map(\.name))
        for (index, name) in names.enumerated()
        where taken.contains(name) || names[..<index].contains(name) {
            OwnBench.refuse("there is another workload named '\(name)'; give this one its own name")
        }
        for workload in workloads {
            UserOperations.add(
                workload.declaration, model: workload.model, prepare: workload.prepare,
                run: workload.run)
        }
        // Before anything else, whose memory would be a part of every sample's.
        if CommandLine.arguments.dropFirst() == [SampleWorker.subcommand] { SampleWorker.main() }
        OwnBench.main(CommandLine.arguments)
    }
}
