import CoreData
import CoreDataStore
import Foundation

/// The work of one worker process.
struct ProgramJob: Codable, Sendable {
    var seed: UInt64
    /// The first attempt. `last` is the number after the last attempt.
    var first: Int
    var last: Int
    var folder: String
    /// The indices of the steps to run, for a job with one attempt; nil to run all steps.
    var steps: [Int]?
    /// A fault that the engine simulates during the job, for tests of the comparison.
    var mutant: String?
}

/// A line of the worker's output.
enum ProgramLine: Codable, Sendable {
    /// The attempt begins. If the process ends before the next line, this attempt is the cause.
    case begins(Int)
    /// The attempt found a difference, and the worker is shrinking its program.
    case shrinks(ProgramFailure)
    case fails(ProgramFailure)
    /// All attempts before this one are complete, with these counts.
    case counts(next: Int, [String: Int])
}

struct ProgramFailure: Codable, Sendable {
    let attempt: Int
    let what: String
    let program: String
}

/// Runs random programs in a separate process, because a program may end the process.
package enum ProgramWorker {
    /// The name of the tool's hidden subcommand.
    package static let subcommand = "torture-program-worker"

    /// The number of attempts after which the counts are reported.
    private static let attemptsOfCount = 25
    private static let shrunkMax = 4

    package static func main() -> Never {
        let worker = Thread { exit(answer()) }
        worker.stackSize = 8 << 20
        worker.start()
        dispatchMain()
    }

    private static func answer() -> Int32 {
        do {
            let input = try FileHandle.standardInput.readToEnd() ?? Data()
            let job = try JSONDecoder().decode(ProgramJob.self, from: input)
            let encoder = JSONEncoder()
            try perform(job) { line in
                let text = try encoder.encode(line) + Data("\n".utf8)
                try FileHandle.standardOutput.write(contentsOf: text)
            }
            return 0
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return 70
        }
    }

    static func perform(_ job: ProgramJob, report: (ProgramLine) throws -> Void) throws {
        if let mutant = job.mutant { Mutation.active = Mutant(rawValue: mutant) }
        var models: [ProgramSchema: NSManagedObjectModel] = [:]
        var counts: [String: Int] = [:]
        var shrunk = 0
        for attempt in job.first..<job.last {
            try report(.begins(attempt))
            var program = ProgramGenerator.program(attempt, seed: job.seed)
            if let steps = job.steps { program.steps = steps.map { program.steps[$0] } }
            let model = models[program.schema] ?? ProgramModel.make(program.schema)
            models[program.schema] = model
            let judge = ProgramJudge(folder: job.folder, model: model)
            var tally = ProgramJudge.Tally()
            let difference = judge.judge(program, &tally)
            counts["programs", default: 0] += 1
            counts["steps", default: 0] += tally.steps
            for (name, number) in tally.named { counts["named: \(name)", default: 0] += number }
            if let difference {
                let whole = failure(attempt, program, difference)
                try report(.shrinks(whole))
                shrunk += 1
                let small = shrunk <= shrunkMax ? small(attempt, program, judge) : nil
                try report(.fails(small ?? whole))
            }
            if attempt % attemptsOfCount == attemptsOfCount - 1 || attempt == job.last - 1 {
                try report(.counts(next: attempt + 1, counts))
                counts = [:]
            }
        }
    }

    private static func failure(
        _ attempt: Int, _ program: RandomProgram, _ difference: ProgramDifference
    ) -> ProgramFailure {
        ProgramFailure(attempt: attempt, what: difference.text, program: program.text)
    }

    private static func small(
        _ attempt: Int, _ program: RandomProgram, _ judge: ProgramJudge
    ) -> ProgramFailure? {
        var tally = ProgramJudge.Tally()
        var last: ProgramDifference?
        let shrinker = ProgramShrinker { candidate in
            guard let found = judge.judge(candidate, &tally) else { return false }
            last = found
            return true
        }
        let best = shrinker.shrunk(program)
        last = judge.judge(best, &tally) ?? last
        return last.map { failure(attempt, best, $0) }
    }
}
