import ArgumentParser
import CommandLineSupport
import LabCommands
import LabResults
import LabRunner
import LabTorture

/// Runs the lab's test of itself.
struct SelfCheckCommand: StatusCommand {
    static let configuration = SelfCheckOptionsGroup.command

    @OptionGroup var options: SelfCheckOptionsGroup

    func status() throws -> ExitStatus {
        let places = Places.paths(options.paths, default: "Scenarios")
        let progress = ProgressLine()
        defer { progress.finish() }
        let suite = options.outside.suite(jobs: options.workers.jobs)
        let reduction = try suite.checkReduction(
            places, atMost: options.atMost, progress: progress.sink)
        progress.finish()
        Console.write(
            "reduction: \(reduction.compared) cells, \(reduction.exhaustive) schedules by brute"
                + " force, \(reduction.reduced) reduced,"
                + " \(reduction.differences.count) differences\n")
        let walks = try WalkCheck(seed: options.seed, wanted: options.scenarios)
            .run(progress: progress.sink)
        progress.finish()
        for result in walks {
            Console.write(
                "walks: \(result.compared) random scenarios in \(result.mode) mode with seed"
                    + " \(options.seed), \(result.exhaustive) schedules by brute force,"
                    + " \(result.reduced) reduced, \(result.differences.count) differences\n")
        }
        let code = CodeCheck(seed: options.seed, wanted: options.programs)
            .run(progress: progress.sink)
        progress.finish()
        Console.write(
            "programs: \(code.compared) random ones from seed \(options.seed), \(code.exhaustive)"
                + " schedules by brute force, \(code.reduced) reduced,"
                + " \(code.differences.count) differences\n")
        if options.programs > 0 {
            let rates = try (
                CodeRate.measure(isAsynchronous: false, schedules: 4_000),
                CodeRate.measure(isAsynchronous: true, schedules: 2_000)
            )
            Console.write(
                "programs: \(rates.0) schedules a second of two sessions of three operations,"
                    + " \(rates.1) of asynchronous ones\n")
        }
        let determinism = try suite.checkDeterminism(
            places, repeats: options.repeats, progress: progress.sink)
        progress.finish()
        Console.write(
            "determinism: \(determinism.repeated) runs repeated,"
                + " \(determinism.differences.count) differences\n")
        let changed = try suite.checkMetamorphic(places, progress: progress.sink)
        progress.finish()
        for (name, cells) in changed.metamorphic {
            Console.write("without effect: \(name), \(cells) cells\n")
        }
        let all =
            reduction.differences + code.differences + determinism.differences
            + changed.differences
        for line in all { Console.write("\(line)\n") }
        let differing = walks.flatMap(\.differences)
        for failure in differing {
            Console.write("attempt \(failure.attempt): \(failure.what)\n\(failure.input ?? "")\n")
        }
        if !determinism.differences.isEmpty { return .nondeterministic }
        if !all.isEmpty || !differing.isEmpty { return .failed }
        return reduction.compared == 0 ? .inconclusive : .expected
    }
}
