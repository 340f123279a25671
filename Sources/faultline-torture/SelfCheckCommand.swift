import ArgumentParser
import CommandLineSupport
import LabCommands
import LabResults
import LabRunner
import LabTorture

/// Runs the lab's self-check.
struct SelfCheckCommand: StatusCommand {
    static let configuration = SelfCheckOptionsGroup.command

    @OptionGroup var options: SelfCheckOptionsGroup

    /// The results of the self-check's parts.
    private struct Tally {
        var differences: [String] = []
        var isEmpty = false
        var isNondeterministic = false
    }

    func status() throws -> ExitStatus {
        let places = Places.paths(options.paths, default: "Scenarios")
        let progress = ProgressLine()
        defer { progress.finish() }
        let suite = options.outside.suite(jobs: options.workers.jobs)
        var tally = Tally()
        if options.includes(.reduction) { try checkReduction(suite, places, progress, &tally) }
        if options.includes(.walks) { try checkWalks(progress, &tally) }
        if options.includes(.code) { try checkCode(progress, &tally) }
        if options.includes(.determinism) { try checkDeterminism(suite, places, progress, &tally) }
        if options.includes(.changes) { try checkChanges(suite, places, progress, &tally) }
        for line in tally.differences { Console.write("\(line)\n") }
        if tally.isNondeterministic { return .nondeterministic }
        if !tally.differences.isEmpty { return .failed }
        return tally.isEmpty ? .inconclusive : .expected
    }

    private func checkReduction(
        _ suite: ScenarioSuite, _ places: [String], _ progress: ProgressLine, _ tally: inout Tally
    ) throws {
        let result = try suite.checkReduction(
            places, atMost: options.atMost, progress: progress.sink)
        progress.finish()
        Console.write(
            "reduction: \(result.compared) cells, \(result.exhaustive) schedules by brute force,"
                + " \(result.reduced) reduced, \(result.differences.count) differences\n")
        tally.differences += result.differences
        tally.isEmpty = result.compared == 0
    }

    private func checkWalks(_ progress: ProgressLine, _ tally: inout Tally) throws {
        let walks = try WalkCheck(seed: options.seed, wanted: options.scenarios)
            .run(progress: progress.sink)
        progress.finish()
        for result in walks {
            Console.write(
                "walks: \(result.compared) random scenarios in \(result.mode) mode with seed"
                    + " \(options.seed), \(result.exhaustive) schedules by brute force,"
                    + " \(result.reduced) reduced, \(result.differences.count) differences\n")
            tally.differences += result.differences.map {
                "attempt \($0.attempt): \($0.what)\n\($0.input ?? "")"
            }
        }
    }

    private func checkCode(_ progress: ProgressLine, _ tally: inout Tally) throws {
        var check = CodeCheck(seed: options.seed, wanted: options.programs)
        check.jobs = options.workers.jobs
        let code = try check.run(progress: progress.sink)
        progress.finish()
        Console.write(
            "programs: \(code.compared) random programs from seed \(options.seed);"
                + " \(code.inFull) with \(code.exhaustive) schedules by brute force,"
                + " \(code.reduced) reduced; \(code.compared - code.inFull) with \(code.drawn)"
                + " random schedules, \(code.reducedElsewhere) reduced; \(code.tooLarge) too large;"
                + " \(code.differences.count) differences\n")
        tally.differences += code.differences
        tally.isEmpty = tally.isEmpty || options.only == [.code] && code.compared == 0
        if options.programs == 0 { return }
        let rates = try (
            CodeRate.measure(isAsynchronous: false, schedules: 4_000),
            CodeRate.measure(isAsynchronous: true, schedules: 2_000)
        )
        Console.write(
            "programs: two sessions of three operations run \(rates.0) schedules a second,"
                + " asynchronous sessions \(rates.1)\n")
    }

    private func checkDeterminism(
        _ suite: ScenarioSuite, _ places: [String], _ progress: ProgressLine, _ tally: inout Tally
    ) throws {
        let result = try suite.checkDeterminism(
            places, repeats: options.repeats, progress: progress.sink)
        progress.finish()
        Console.write(
            "determinism: \(result.repeated) runs repeated, \(result.differences.count)"
                + " differences\n")
        tally.differences += result.differences
        tally.isNondeterministic = !result.differences.isEmpty
    }

    private func checkChanges(
        _ suite: ScenarioSuite, _ places: [String], _ progress: ProgressLine, _ tally: inout Tally
    ) throws {
        let changed = try suite.checkMetamorphic(places, progress: progress.sink)
        progress.finish()
        for (name, cells) in changed.metamorphic {
            Console.write("without effect: \(name), \(cells) cells\n")
        }
        tally.differences += changed.differences
    }
}
