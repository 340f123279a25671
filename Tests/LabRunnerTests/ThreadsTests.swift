import CRuntimeShims
import Foundation
import LabFiles
import LabResults
import LabScenario
import Synchronization
import Testing

@testable import LabRunner

/// Tests of scenarios on real threads. Outcomes differ from run to run, so the tests only check
/// that an outcome is possible.
@Suite struct ThreadsTests {
    private func explore(
        _ text: String, mode: String, limit: Int? = nil
    ) throws -> ScenarioResult {
        try withScenario(text.replacingOccurrences(of: "MODE", with: mode)) { path in
            var suite = suite()
            suite.options.limit = limit
            return try suite.explore(path).scenarios[0]
        }
    }

    private func expectSubset(_ text: String, runs: Int = 60) throws {
        let all = try explore(text, mode: "inline")
        let some = try explore(text, mode: "threads", limit: runs)
        let possible = Set(all.outcomes.map(\.text))
        #expect(!some.outcomes.isEmpty)
        for outcome in some.outcomes { #expect(possible.contains(outcome.text)) }
        #expect(some.schedules.explored == runs)
        #expect(some.outcomes.map(\.count).reduce(0, +) == runs)
        #expect(some.outcomes.allSatisfy { $0.token == nil && $0.transcript == nil })
        #expect(some.reasons.contains { $0.contains("write 'mode: inline' to get a token") })
    }

    private static let raises = """
        name: written
        about: Two raises at once.
        model: {entities: {Account: {attributes: {balance: integer64 required default 0}}}}
        mode: MODE
        STORE
        contexts: {A: {policy: POLICY}, B: {policy: POLICY}}
        setup: [insert Account as a with balance = 10]
        sessions:
          one: {context: A, steps: {r1: set a.balance = a.balance + 5, s1: save}}
          two: {context: B, steps: {r2: set a.balance = a.balance + 7, s2: save}}
        observe: {balance: read Account.balance, one: status s1, two: status s2}
        outcomes:
          - {grade: acceptable, is: {balance: {not: 0}}, because: it is a sum of raises}
        """

    @Test(arguments: ["error", "objectTrump", "storeTrump"], ["", "store: sqlite"])
    func `outcomes on real threads are among those of all interleavings`(
        policy: String, store: String
    ) throws {
        try expectSubset(
            Self.raises.replacingOccurrences(of: "POLICY", with: policy)
                .replacingOccurrences(of: "STORE", with: store))
    }

    @Test func `merges and blocks on real queues end before anything is observed`() throws {
        try expectSubset(
            """
            name: written
            about: A writer, a list that merges, and a block.
            model: {entities: {Item: {attributes: {name: string}}}}
            mode: MODE
            contexts:
              M: {queue: main, automerge: true}
              V: {queue: main, merges-from: [W]}
              W: {}
            setup: [insert Item as i with name = "old"]
            sessions:
              writer: {context: W, steps: {w1: set i.name = "new", w2: save, w3: enqueue look}}
              reader: {context: M, steps: {m1: read i.name -> seen}}
              viewer: {context: V, steps: {v1: read i.name -> shown}}
            blocks:
              look: {context: V, do: read i.name -> later}
            observe:
              row: read Item.name
              seen: value seen
              shown: value shown
              later: value later
            outcomes:
              - {grade: acceptable, is: {row: new}, because: it was saved}
            """)
    }

    @Test func `an object has its name from the file, whichever step reads it first`() throws {
        try expectSubset(
            """
            name: written
            about: One inserts, another one fetches.
            model: {entities: {Item: {attributes: {name: string}}}}
            mode: MODE
            contexts: {A: {}, B: {}}
            sessions:
              one: {context: A, steps: {o1: insert Item as i, o2: save}}
              two: {context: B, steps: {t1: fetch Item -> found, t2: fetch Item -> again}}
            observe: {found: value found, again: value again}
            outcomes:
              - {grade: acceptable, is: {again: {not: 0}}, because: it is there or not}
            """, runs: 200)
    }

    @Test func `runs that the file does not request are not a pass, a wrong outcome fails`() throws
    {
        let text = Self.raises.replacingOccurrences(of: "STORE", with: "")
            .replacingOccurrences(of: "POLICY", with: "error")
        let sampled = try explore(text, mode: "threads", limit: 5)
        #expect(sampled.verdict == .inconclusive)
        let wrong = text.replacingOccurrences(of: "{not: 0}", with: "0")
        #expect(try explore(wrong, mode: "threads", limit: 5).verdict == .failed)
        let asked = try explore(text + "\nexplore: {limit: 5}", mode: "threads")
        #expect(asked.verdict == .passed)
        #expect(asked.schedules.stoppedAt == "the limit of 5 runs on real threads")
    }

    @Test func `a scenario that needs an order of steps is refused with its location`() throws {
        let text = Self.raises.replacingOccurrences(of: "STORE", with: "after: [s1 requires r2]")
            .replacingOccurrences(of: "POLICY", with: "error")
        let error = #expect(throws: InputErrors.self) { try explore(text, mode: "threads") }
        #expect(error?.errors.first?.line == 5)
        #expect(error?.errors.first?.problem.hasPrefix("'after' needs a known order") == true)
    }

    /// The time limit of a thread excludes the time in which the thread waits for a core.
    @Test func `threads that do not end are named, and the race does not wait for them`() {
        let gate = DispatchSemaphore(value: 0)
        let race = Race()
        let hanging = race.run(
            [
                .init(name: "ends") {},
                .init(name: "waits") { gate.wait() },
            ], patience: .milliseconds(100))
        gate.signal()
        #expect(hanging == ["waits"])
    }

    @Test(arguments: [
        ("7 (a) R (b)) R 1 7 7 0 -1 64 1 0 0 0 250 50 0 0 20 0", true),
        ("7 (disk) D 1 7 7 0 -1 64 1 0 0 0 250 50 0 0 20 0", true),
        ("7 (lock) S 1 7 7 0 -1 64 1 0 0 0 250 50 0 0 20 0", false),
    ])
    func `a thread that is ready to run, or waits for a disk, is held up`(
        status: String, isHeldUp: Bool
    ) throws {
        let look = try #require(ThreadClock.Look(status: status))
        #expect(look.isHeldUp == isHeldUp)
        #expect(look.processorTime == .seconds(300) / sysconf(Int32(_SC_CLK_TCK)))
        #expect(ThreadClock.Look(status: "7 (short) R 1") == nil)
    }

    @Test func `a clock advances while its thread sleeps, but not while it needs a core`() {
        // The calling thread runs all the time. It uses much less than an hour between the
        // measurements.
        var own = ThreadClock(faultline_thread_number())
        #expect(own.pass(.seconds(3_600)) < .seconds(3_600))
        let number = Mutex<Int32>(0)
        let gate = DispatchSemaphore(value: 0)
        Thread {
            number.withLock { $0 = faultline_thread_number() }
            gate.wait()
        }.start()
        while number.withLock({ $0 }) == 0 { sched_yield() }
        var sleeping = ThreadClock(number.withLock { $0 })
        // The loop waits until the thread sleeps.
        while sleeping.pass(.seconds(1)) < .seconds(1) { sched_yield() }
        gate.signal()
        var unknown = ThreadClock(0)
        #expect(unknown.pass(.seconds(1)) == .seconds(1))
    }

    @Test func `two sessions that wait for each other's queues are reported, without a hang`()
        throws
    {
        let text = """
            name: written
            about: Each waits for the other's queue.
            model: {entities: {Item: {attributes: {name: string}}}}
            mode: threads
            contexts: {A: {}, B: {}}
            sessions:
              one: {context: A, steps: {o1: wait on-b}}
              two: {context: B, steps: {t1: wait on-a}}
            blocks:
              on-a: {context: A, do: count Item}
              on-b: {context: B, do: count Item}
            explore: {limit: 300}
            observe: {rows: count Item}
            outcomes:
              - {grade: acceptable, is: {rows: 0}, because: nobody inserts}
            """
        let result = try withScenario(text) { path in
            var suite = suite()
            suite.options.patience = .milliseconds(500)
            return try suite.explore(path).scenarios[0]
        }
        // The two threads may never block each other in any run.
        if result.schedules.explored == 300 { return #expect(result.verdict == .passed) }
        #expect(result.verdict == .inconclusive)
        #expect(result.reasons[0].contains("one and two did not end"))
    }
}
