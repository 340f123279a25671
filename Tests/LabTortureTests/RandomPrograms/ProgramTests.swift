import CoreDataStore
import Foundation
import LabResults
import TestSupport
import Testing

@testable import LabTorture
@testable import TortureCampaigns

/// Random programs have the same results with every kind of store as with plain values.
@Suite struct RandomProgramTests {
    static let tool = BuiltTool.torture?.path

    /// Runs a job in this process.
    @Sendable private static func work(
        _ job: ProgramJob, _ hear: (ProgramLine) -> Void
    ) throws -> WorkerEnd {
        try ProgramWorker.perform(job, report: hear)
        return .done
    }

    /// `FAULTLINE_PROGRAMS`, or by default a number that takes little time.
    private static var count: Int {
        ProcessInfo.processInfo.environment["FAULTLINE_PROGRAMS"].flatMap { Int($0) } ?? 200
    }

    @Test func `programs have the same results in every store and on plain values`() throws {
        let part = RandomProgramsPart(launch: Self.work)
        let slice = try part.run(0..<Self.count, seed: 1) { _ in }
        #expect(slice.counts["programs"] == Self.count)
        for failure in slice.failures {
            Issue.record("attempt \(failure.attempt): \(failure.what)\n\(failure.input ?? "")")
        }
    }

    @Test func `a program depends only on its seed and number`() {
        let texts = (0..<40).map { ProgramGenerator.program($0, seed: 3).text }
        #expect(texts == (0..<40).map { ProgramGenerator.program($0, seed: 3).text })
        #expect(Set(texts).count == 40)
    }

    /// Checks that steps of every kind are drawn, and that most of them can run.
    @Test func `programs have steps of every sort`() {
        let programs = (0..<600).map { ProgramGenerator.program($0, seed: 1) }
        let words = programs.flatMap(\.steps).map { $0.text.prefix { $0 != "#" && $0 != "{" } }
        let sorts = Set(words.compactMap { $0.split(separator: " ").first })
        let wanted: Set<Substring> = [
            "insert", "set", "add", "remove", "move", "delete", "undo", "redo", "save", "rollback",
            "reset", "refresh", "forget", "obtain", "fetch", "look", "open", "close", "batch",
            "reopen",
        ]
        #expect(wanted.subtracting(sorts) == [])
        let moves = programs.map { ReferenceRun.moves(of: $0).count }.reduce(0, +)
        #expect(moves == programs.map(\.steps.count).reduce(0, +))
    }

    /// Whether ambiguous nil values explain why the results of the steps differ.
    private static func differOnlyInNil(
        _ steps: [ProgramStep], _ first: String, _ second: String
    ) throws -> Bool {
        let program = RandomProgram(
            schema: ProgramSchema(), hasUndo: false, holdsObjects: true, steps: steps)
        let move = try #require(ReferenceRun.moves(of: program).last)
        #expect(move.answer == nil)
        return move.differOnlyInNil(ProgramSight(answer: first), ProgramSight(answer: second))
    }

    @Test func `an ambiguous nil excuses only the objects that depend on it`() throws {
        let inserts: [ProgramStep] = [
            .insert(.tag, 1, [:]), .insert(.tag, 2, [:]), .insert(.tag, 3, [.label: .text("a")]),
            .lead(2, .parent, 1), .lead(3, .parent, 2), .save,
        ]
        let parent = ProgramCondition.not(.leads(.parent, 1))
        let steps = inserts + [.fetch(ProgramQuery(kind: .tag, condition: parent))]
        #expect(try Self.differOnlyInNil(steps, "#3", "#1 #3"))
        #expect(try !Self.differOnlyInNil(steps, "#3", "#1 #2 #3"))
        #expect(try !Self.differOnlyInNil(steps, "#3", "#1"))
        let label = ProgramCondition.compare(.parent, .label, .unequal, .text("a"))
        var query = ProgramQuery(kind: .tag, condition: label)
        query.form = .count
        #expect(try Self.differOnlyInNil(inserts + [.fetch(query)], "0", "3"))
        #expect(try !Self.differOnlyInNil(inserts + [.fetch(query)], "0", "4"))
    }

    /// A store evaluates conditions on related objects with their saved values.
    @Test func `the result is open if it depends on a change at the other end of a relationship`() {
        let steps: [ProgramStep] = [
            .insert(.author, 1, [:]), .insert(.profile, 2, [.about: .text("b")]),
            .lead(1, .profile, 2), .save, .set(2, .about, .text("d")),
            .fetch(
                ProgramQuery(
                    kind: .author,
                    condition: .compare(.profile, .about, .less, .text("c")))),
            .fetch(
                ProgramQuery(
                    kind: .profile, condition: .compare(nil, .about, .less, .text("c")))),
        ]
        let program = RandomProgram(
            schema: ProgramSchema(), hasUndo: false, holdsObjects: true, steps: steps)
        #expect(ReferenceRun.moves(of: program).suffix(2).map(\.answer) == [nil, ""])
    }

    @Test func `a program shrinks to the steps that matter`() {
        let program = ProgramGenerator.program(7, seed: 1)
        let needles: [ProgramStep] = [.refreshAll, .reopen]
        var long = program
        long.steps.insert(.refreshAll, at: program.steps.count / 3)
        long.steps.append(.reopen)
        let shrinker = ProgramShrinker { candidate in
            needles.allSatisfy(candidate.steps.contains)
        }
        #expect(Set(shrinker.shrunk(long).steps) == Set(needles))
        #expect(shrinker.shrunk(long).steps.count == 2)
    }

    @Test func `a program that ends its process is reported, and the others run`() throws {
        let part = RandomProgramsPart { job, hear in
            for attempt in job.first..<job.last {
                hear(.begins(attempt))
                if attempt == 7 { return .crashed(how: "signal 11", said: "") }
                hear(.counts(next: attempt + 1, ["programs": 1]))
            }
            return .done
        }
        let slice = try part.run(0..<20, seed: 1) { _ in }
        #expect(slice.counts == ["programs": 19])
        #expect(slice.failures.map(\.attempt) == [7])
        #expect(slice.failures.first?.what.contains("signal 11") == true)
    }

    #if DEBUG
        /// Faults of the engine that random programs must find.
        static let planted = [
            "skipInverse", "cascadeNullifies", "rollbackKeepsObjects", "deletesDoNotPropagate",
        ]

        @Test(
            .enabled(if: tool != nil, "the faultline-torture executable has not been built"),
            arguments: planted)
        func `a fault of the engine is noticed`(mutant: String) throws {
            let worker = WorkerProcess(
                executable: Self.tool, arguments: [ProgramWorker.subcommand])
            var part = RandomProgramsPart { job, hear in
                var job = job
                job.mutant = mutant
                return try worker.run(job, folder: job.folder, hear: hear)
            }
            part.workers = ParallelAttempts(jobs: 1)
            // The delete rules of a random model may hide the fault, so several models are tried.
            var failures: [TortureFailure] = []
            for first in stride(from: 0, to: 1_000, by: 50) where failures.isEmpty {
                failures = try part.run(first..<first + 20, seed: 1) { _ in }.failures
            }
            let lines = failures.compactMap(\.input).map { $0.split(separator: "\n").count }
            #expect((lines.min() ?? 99) <= 10)
        }
    #endif
}
