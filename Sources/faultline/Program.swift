// Owns the start of the process: a measuring process of `bench` begins its work at once, all others
// read a command.

import ArgumentParser
import LabBench
import LabFiles

@main
enum Program {
    static func main() {
        // Setting up the parser of all commands would be a part of every sample's memory.
        if CommandLine.arguments.dropFirst() == [SampleWorker.subcommand] { SampleWorker.main() }
        CleanUpOnSignals.start()
        Faultline.main()
    }
}
