import ArgumentParser
import LabCommands
import LabResults
import LabRunner
import LabTorture

struct SelfCheckCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "selfcheck",
        abstract: "Has the lab test itself: reduction, determinism, and changes without effect.",
        discussion: """
            Exit code 1 if reduction loses something or a change matters that must not; 4 if a \
            repeated run differs.
            """,
        examples: ["selfcheck", "selfcheck Scenarios --repeats 1000 --scenarios 100"])

    @Argument(help: "Scenario files, or folders of them. Without any: Scenarios.")
    var paths: [String] = []

    @Option(help: "How many runs are repeated.")
    var repeats = 10_000

    @Option(help: "Cells with more schedules are not compared with brute force.")
    var atMost = 5_000

    @Option(help: "How many random scenarios are walked in every way and by brute force.")
    var scenarios = 2_000

    @Option(help: "How many random programs are explored by reduction and by brute force.")
    var programs = 1_000

    @Option(help: "Seed of the random scenarios and programs.")
    var seed: UInt64 = 1

    @OptionGroup var workers: JobsGroup

    @OptionGroup var outside: OutsideGroup

    func validate() throws {
        guard repeats >= 1, atMost >= 1, scenarios >= 0, programs >= 0 else {
            throw ValidationError(
                "--repeats and --at-most are at least 1, --scenarios and --programs at least 0")
        }
    }

    func status() throws -> ExitStatus {
        let places = Places.paths(paths, default: "Scenarios")
        let progress = ProgressLine()
        defer { progress.finish() }
        let suite = outside.suite(jobs: workers.jobs)
        let reduction = try suite.checkReduction(
            places, atMost: atMost, progress: progress.sink)
        progress.finish()
        Console.write(
            "reduction: \(reduction.compared) cells, \(reduction.exhaustive) schedules by brute"
                + " force, \(reduction.reduced) reduced,"
                + " \(reduction.differences.count) differences\n")
        let walks = try WalkCheck(seed: seed, wanted: scenarios).run(progress: progress.sink)
        progress.finish()
        for result in walks {
            Console.write(
                "walks: \(result.compared) random scenarios in \(result.mode) mode with seed"
                    + " \(seed), \(result.exhaustive) schedules by brute force, \(result.reduced)"
                    + " reduced, \(result.differences.count) differences\n")
        }
        let code = CodeCheck(seed: seed, wanted: programs).run(progress: progress.sink)
        progress.finish()
        Console.write(
            "programs: \(code.compared) random ones from seed \(seed), \(code.exhaustive)"
                + " schedules by brute force, \(code.reduced) reduced,"
                + " \(code.differences.count) differences\n")
        if programs > 0 {
            let rates = try (
                CodeRate.measure(isAsynchronous: false, schedules: 4_000),
                CodeRate.measure(isAsynchronous: true, schedules: 2_000)
            )
            Console.write(
                "programs: \(rates.0) schedules a second of two sessions of three operations,"
                    + " \(rates.1) of asynchronous ones\n")
        }
        let determinism = try suite.checkDeterminism(
            places, repeats: repeats, progress: progress.sink)
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
