import CoreData
import Foundation
import LabBench
import LabReport
import LabResults

/// Measures workloads that are written in Swift.
public enum FaultlineBench {
    /// Measures the workloads and ends the process: call it as the only thing in `main`.
    ///
    /// Prints counts, times and the SQL log as `faultline bench` does. The arguments may name
    /// `--save FILE` for a result that `faultline compare` and `report` read, and
    /// `--rounds N` for another number of processes than 9. Exits with 0, with 2 where the
    /// arguments cannot be used or the build is a debug build, with 70 where a workload failed.
    public static func main(_ workloads: [BenchWorkload]) -> Never {
        let names = workloads.map(\.name)
        let taken = Set(Operation.builtIn.map(\.name))
        for (index, name) in names.enumerated()
        where taken.contains(name) || names[..<index].contains(name) {
            let message = "there is another workload named '\(name)'; give this one its own name\n"
            FileHandle.standardError.write(Data(message.utf8))
            exit(2)
        }
        for workload in workloads {
            UserOperations.add(
                workload.name, model: workload.model, sentence: workload.about,
                prepare: workload.prepare, run: workload.run)
        }
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == SampleWorker.subcommand { SampleWorker.main() }
        do {
            try measure(workloads, Arguments(Array(arguments)))
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit((error as? BenchError)?.exitCode ?? 2)
        }
    }

    private static func measure(_ workloads: [BenchWorkload], _ arguments: Arguments) throws {
        let options = BenchOptions(
            preset: BenchPreset(name: "custom", rounds: arguments.rounds, runs: 3, warmUps: 2))
        let report = try BenchSuite.run(
            own: workloads.map { (name: $0.name, about: $0.about) }, options: options)
        FileHandle.standardOutput.write(Data(BenchText(report).text().utf8))
        guard let file = arguments.save else { return }
        try Data(ResultFile.text(report).utf8).write(to: URL(fileURLWithPath: file))
    }

    /// What the command line says.
    private struct Arguments {
        var rounds = 9
        var save: String?

        init(_ words: [String]) throws(InputError) {
            var rest = words[...]
            while let word = rest.popFirst() {
                switch (word, rest.popFirst()) {
                case ("--rounds", let text?):
                    guard let number = Int(text), number > 0 else {
                        throw Self.error("--rounds \(text)", "write --rounds 9")
                    }
                    rounds = number
                case ("--save", let file?): save = file
                default: throw Self.error(word, "write --rounds N or --save FILE")
                }
            }
        }

        private static func error(_ word: String, _ remedy: String) -> InputError {
            InputError(file: word, problem: "this is not an argument", remedy: remedy)
        }
    }
}
