import Glibc
import Testing

@testable import CrashAttacks

/// Tests of the library that is preloaded into victims. It counts and logs system calls, makes them
/// fail, or ends the process. Environment variables select what it does.
@Suite(.enabled(if: CrashFixture.isBuilt, "the tool is not built")) struct ShimTests {
    private let workshop = CrashFixture.workshop

    private func outcome(
        _ orders: IOShim.Orders, _ kind: VictimKind = .creation
    ) throws -> CrashWorkshop.Outcome {
        try CrashFixture.withVictim(kind) { request, folder in
            try workshop.run(request, orders, in: folder)
        }
    }

    @Test func `equal victims make equally many calls`() throws {
        let one = try outcome(.nothing)
        let other = try outcome(.nothing)
        let calls = try #require(one.calls?.counted)
        #expect(calls > 20)
        #expect(calls == other.calls?.counted)
        #expect(one.story.isFinished)
        #expect(one.story.done == Array(0..<VictimKind.creation.steps))
    }

    @Test func `a victim ends at the ordered call`() throws {
        let calls = try #require(try outcome(.nothing).calls?.counted)
        let atFirst = try outcome(.kill(at: 1, isTorn: false))
        #expect(atFirst.ending == .signalled(SIGKILL))
        #expect(atFirst.story.done.isEmpty)
        let torn = try outcome(.kill(at: calls / 2, isTorn: true))
        #expect(torn.ending == .signalled(SIGKILL))
        #expect(!torn.story.isFinished)
        let never = try outcome(.kill(at: calls + 1, isTorn: false))
        #expect(never.ending == .exited(0))
        #expect(never.story.isFinished)
    }

    @Test func `a failure of one call is an error of one step`() throws {
        let calls = try #require(try outcome(.nothing, .saves).calls?.counted)
        let outcome = try outcome(
            .fail(at: calls / 2, times: 1, error: ENOSPC, countsOpens: false), .saves)
        #expect(outcome.ending == .exited(0))
        #expect(outcome.calls?.failed == 1)
        #expect(outcome.story.failures.count == 1, "\(outcome.output)")
        #expect(outcome.story.isFinished)
    }

    @Test func `the log has the victim's messages between its calls`() throws {
        let (story, operations, stores) = try CrashFixture.operations(.creation, .walFull)
        let said = operations.compactMap { operation in
            if case .say(let text) = operation { text } else { nil }
        }
        #expect(VictimStory(said.joined()) == story)
        let store = stores + "/" + StoreName.own
        #expect(
            operations.contains { operation in
                if case .create(let path, _) = operation { path == store } else { false }
            })
        let acknowledged = try #require(operations.firstIndex(of: .say("done 0\n")))
        let begun = try #require(operations.firstIndex(of: .say("begin 0\n")))
        let isSynced = operations[begun..<acknowledged].contains { operation in
            if case .sync(let path, _) = operation { path == store + "-wal" } else { false }
        }
        #expect(isSynced, "with synchronous=FULL a commit syncs the log before it is told")
    }

    /// An inferred mapping cannot create the expected value.
    @Test func `a migration by a mapping model is verified with that model`() throws {
        try CrashFixture.withVictim(.mappedMigration) { request, folder in
            let done = try workshop.run(request, .nothing, in: folder).story.done
            #expect(done.contains(0))
            let expected = [VerifiedCase(folder: request.folder, done: done)]
            #expect(try workshop.verify(request, expected, in: folder).map(\.finding) == [nil])
            // The verification of another kind of migration reports an error for the same store.
            var other = request
            other.kind = .inPlaceMigration
            let finding = try workshop.verify(other, expected, in: folder).first?.finding
            let isOther = finding?.contains("has the new value 8, expected 7") == true
            #expect(isOther, "\(finding ?? "-")")
        }
    }

    /// SQLite opens a file for reading if it cannot open it for writing. Every later save would
    /// fail because the store is read-only.
    @Test func `a store is not opened only for reading if descriptors run out`() throws {
        var failures: [VictimStory.Failure] = []
        for open in 1...3 {
            let orders = IOShim.Orders.fail(at: open, times: 1, error: EMFILE, countsOpens: true)
            let outcome = try outcome(orders, .vacuum)
            #expect(outcome.calls?.failed == 1)
            #expect(outcome.story.isFinished, "\(outcome.output)")
            failures += outcome.story.failures
        }
        #expect(!failures.isEmpty)
        let readOnly = failures.filter { $0.sqlite & 0xFF == 8 || $0.code == 513 }
        #expect(readOnly.isEmpty, "\(readOnly)")
    }
}
