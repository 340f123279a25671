import Foundation
import LabResults
import LabRunner
import LabSchedule
import Testing

/// Scenarios in baton mode in which threads wait for each other.
private enum Files {
    /// The main queue waits for a child context. The child may save into the context of the main
    /// queue.
    static func waiting(parent: String, wait: String = "wait look") -> String {
        """
        name: written
        about: The main queue may wait for another context.
        model: {entities: {Item: {attributes: {name: string}}}}
        mode: baton
        contexts:
          M: {queue: main}
          C: {\(parent)}
        sessions:
          main:
            context: M
            steps:
              m1: enqueue fill
              m2: \(wait)
        blocks:
          fill: {context: C, do: 'insert Item as i with name = "x"; save'}
          look: {context: C, do: "count Item -> n"}
        observe: {waiting: status m2}
        outcomes:
          - {grade: acceptable, is: {waiting: ok}, because: nobody waits for ever}
          - {grade: interesting, is: {waiting: deadlock}, because: both wait}
        """
    }

    /// The main queue saves and then waits for its child, which merges the save.
    static func merging(_ settings: String, _ sessions: String = "") -> String {
        """
        name: written
        about: The main queue may wait for a child that merges.
        model: {entities: {Item: {attributes: {name: string}}}}
        setup: ['insert Item as i with name = "old"']
        mode: baton
        contexts:
          M: {queue: main}
          C: {parent: M\(settings)}
        sessions:
          main:
            context: M
            steps: {m1: wait look, m2: 'set i.name = "new"; save', m3: wait look}
        \(sessions)
        blocks:
          look: {context: C, do: "read i.name -> n"}
        observe: {waiting: status m3}
        outcomes:
          - {grade: acceptable, is: {waiting: ok}, because: nobody waits for ever}
          - {grade: interesting, is: {waiting: deadlock}, because: both wait}
        """
    }

    /// A child on the main queue fetches while its parent fetches and saves.
    static let fetchesThroughParent = """
        name: written
        about: A child on the main queue may fetch while its parent works.
        model: {entities: {Item: {attributes: {name: string}}}}
        mode: baton
        contexts:
          W: {}
          M: {queue: main, parent: W}
          S: {queue: main, parent: M}
        sessions:
          worker: {context: W, steps: {w1: "fetch Item -> a", w2: 'insert Item; save'}}
          main: {context: M, steps: {m1: "fetch Item -> b", m2: 'insert Item; save'}}
          second: {context: S, steps: {s1: "fetch Item -> c"}}
        explore: {limit: 300}
        observe: {rows: count Item}
        outcomes:
          - {grade: acceptable, is: {rows: {one-of: [1, 2]}}, because: everybody came to an end}
        """
}

@Suite struct BatonTests {
    private func run(_ text: String, limit: Int? = nil) throws -> ScenarioResult {
        try withScenario(text) { path in
            var suite = suite()
            suite.options.limit = limit
            return try #require(try suite.explore(path).scenarios.first)
        }
    }

    @Test func `a child's own merge needs nothing from the waiting parent, a manual merge does`()
        throws
    {
        let own = try run(Files.merging(", automerge: true"))
        #expect(own.schedules.stoppedAt == nil)
        #expect(own.outcomes.map(\.text) == ["(waiting = ok)"])
        #expect(!own.findings.contains { $0.name == "deadlock" })
        let byHand = "  other: {context: C, steps: {c1: merge next from M}}"
        let other = try run(Files.merging("", byHand))
        let finding = try #require(other.findings.first { $0.name == "deadlock" })
        #expect(finding.prose.contains("main holds the main queue and waits for C"))
    }

    @Test func `waiting for a child that saves into the waiting queue is a certain deadlock`()
        throws
    {
        let result = try run(Files.waiting(parent: "parent: M"))
        #expect(result.schedules.stoppedAt == nil)
        let finding = try #require(result.findings.first { $0.name == "deadlock" })
        #expect(finding.prose.contains("main holds the main queue and waits for C"))
        #expect(finding.prose.contains("the queue of C holds C and waits for the main queue"))
        #expect(finding.evidence.count == 2)
        let stacks = finding.evidence.joined(separator: "\n")
        #expect(stacks.contains("main: m2 > performAndWait on M > performAndWait on C"))
        #expect(stacks.contains("save: push to parent > performAndWait on M"))
        #expect(result.outcomes.contains { $0.text == "(waiting = deadlock)" && $0.count > 0 })
        #expect(result.findings.contains { $0.name == "potential deadlock" })
    }

    @Test func `a deadlock's token replays the same deadlock`() throws {
        try withScenario(Files.waiting(parent: "parent: M")) { path in
            let result = try #require(try suite().explore(path).scenarios.first)
            let finding = try #require(result.findings.first { $0.name == "deadlock" })
            let replayed = try suite().replay(try #require(finding.token), in: [path])
            #expect(replayed.first == replayed.second)
            #expect(replayed.adaptations.isEmpty)
            #expect(replayed.result.findings.map(\.prose) == [finding.prose])
        }
    }

    @Test func `a wait for a sibling never deadlocks, and the lock order is the reason`() throws {
        let result = try run(Files.waiting(parent: "policy: error"))
        #expect(result.verdict == .passed, "\(result.reasons)")
        #expect(result.findings.isEmpty)
        #expect(result.schedules.stoppedAt == nil)
        let argument = try #require(result.reasons.first)
        #expect(argument.contains("the main queue, C, coordinator, store writer"))
        #expect(argument.contains("cannot form a cycle"))
    }

    @Test func `fetching through a parent follows one lock order, from child to store`() throws {
        let result = try run(Files.fetchesThroughParent)
        #expect(result.verdict == .passed, "\(result.reasons) \(result.outcomes.map(\.text))")
        #expect(!result.findings.contains { $0.name.hasSuffix("deadlock") })
        let argument = try #require(result.reasons.last)
        #expect(argument.contains("the main queue, W, coordinator, store writer"))
    }

    @Test func `a batch request waits for a save of another thread as a save does`() throws {
        let text = """
            name: written
            about: A batch and a save want the coordinator.
            model: {entities: {Item: {attributes: {n: integer64}}}}
            mode: baton
            store: sqlite
            contexts: {A: {}, B: {}}
            sessions:
              one: {context: A, steps: {a1: "batch-insert Item with n = 1"}}
              two: {context: B, steps: {b1: 'insert Item with n = 2; save'}}
            observe: {rows: count Item}
            outcomes:
              - {grade: acceptable, is: {rows: 2}, because: both write}
            """
        let result = try run(text)
        #expect(result.verdict == .passed, "\(result.reasons)")
        #expect(result.schedules.explored > 2)
    }

    @Test func `an order of the file holds from the end of the step that it requires`() throws {
        let text = """
            name: written
            about: Counting requires saving.
            model: {entities: {Item: {attributes: {n: integer64}}}}
            mode: baton
            contexts: {A: {}, B: {}}
            sessions:
              one: {context: A, steps: {a1: 'insert Item with n = 1; save'}}
              two: {context: B, steps: {b1: count Item -> seen}}
            after: [b1 requires a1]
            observe: {seen: value seen}
            outcomes:
              - {grade: acceptable, is: {seen: 1}, because: the save had ended}
            """
        for strategy in [Strategy.exhaustive, .reduced] {
            try withScenario(text) { path in
                var suite = suite()
                suite.options.strategy = strategy
                let result = try #require(try suite.explore(path).scenarios.first)
                #expect(result.outcomes.map(\.text) == ["(seen = 1)"])
                #expect(result.verdict == .passed, "\(result.reasons)")
            }
        }
    }

    @Test func `a deadlock of two does not keep a third thread from finishing`() throws {
        let beside = "  beside: {context: O, steps: {o1: 'insert Item; save', o2: save}}\n"
        let text = Files.waiting(parent: "parent: M")
            .replacingOccurrences(of: "  C: {", with: "  O: {}\n  C: {")
            .replacingOccurrences(of: "blocks:\n", with: beside + "blocks:\n")
            .replacingOccurrences(
                of: "observe: {waiting: status m2}",
                with: "observe: {waiting: status m2, other: status o2}"
            )
            .replacingOccurrences(of: "is: {waiting", with: "is: {other: ok, waiting")
        let result = try run(text)
        #expect(result.outcomes.contains { $0.text == "(waiting = deadlock, other = ok)" })
        #expect(result.verdict == .interesting, "\(result.reasons)")
        let stuck = try #require(result.transcripts.first { $0.text.contains("never ends") })
        #expect(stuck.text.contains("never ends: waits for the main queue, which main holds"))
    }

    @Test func `a deadlock has a chart of holders and waiting threads`()
        throws
    {
        try withScenario(Files.waiting(parent: "parent: M")) { path in
            var suite = suite()
            suite.options.timelines = .all
            let report = try suite.explore(path)
            let result = try #require(report.scenarios.first)
            #expect(result.verdict != .nondeterministic, "\(result.reasons)")
            let stuck = try #require(
                result.transcripts.first { $0.text.contains("observed waiting = \"deadlock\"") })
            let lines = stuck.text.split(separator: "\n").map(String.init)
            let head = try #require(lines.firstIndex { $0.hasPrefix("threads ") })
            #expect(lines[head].hasSuffix("main                               the queue of C"))
            #expect(
                lines.contains {
                    $0.hasSuffix(
                        "holds the main queue, waits for C  holds C, waits for the main queue")
                })
            #expect(lines.contains("deadlock: main waits for C, which the queue of C holds"))
            let timeline = try #require(stuck.timeline)
            #expect(timeline.lanes.map(\.name) == ["main", "the queue of C"])
            #expect(timeline.lanes.allSatisfy { $0.kind == .thread })
            let ends = timeline.steps.filter { $0.name == "deadlock" }
            #expect(
                ends.map { $0.lines[0].text } == [
                    "waits for C, which the queue of C holds",
                    "waits for the main queue, which main holds",
                ])
        }
    }

    @Test func `a schedule whose threads all end has no chart of a deadlock`() throws {
        let result = try run(Files.waiting(parent: "parent: M"))
        let whole = try #require(
            result.transcripts.first { $0.text.contains("observed waiting = \"ok\"") })
        #expect(!whole.text.contains("threads  "))
    }

    @Test func `the bound of preemptions that the file names is sufficient for a pass`() throws {
        let text = Files.waiting(parent: "parent: M")
            .replacingOccurrences(of: "grade: interesting", with: "grade: acceptable")
        let accepted = try run(text + "\nexplore: {preemptions: 1, seed: 2}")
        #expect(accepted.verdict == .passed, "\(accepted.reasons)")
        #expect(
            accepted.reasons.contains(
                "this holds within the bound of 1 preemptions, which is the limit of the file"))
        #expect(accepted.schedules.stoppedAt == "the bound of 1 preemptions")
        try withScenario(text + "\nexplore: {preemptions: 2}") { path in
            // Neither a smaller bound than that of the file nor a limit that stops the walk is
            // sufficient for a verdict.
            var less = suite()
            less.options.strategy = .bounded(1)
            let bounded = try less.explore(path).scenarios.map(\.verdict)
            #expect(bounded == [.inconclusive])
            less.options.strategy = nil
            less.options.limit = 3
            let limited = try less.explore(path).scenarios.map(\.verdict)
            #expect(limited == [.inconclusive])
        }
    }

    @Test func `a summary never counts fewer schedules than have run`() throws {
        let result = try run(Files.fetchesThroughParent)
        #expect(result.schedules.represented.map { $0 > result.schedules.explored } ?? true)
        let argued = result.reasons.filter { $0.contains("no schedule deadlocks") }
        #expect(argued.isEmpty || result.schedules.stoppedAt == nil)
    }

    @Test func `baton mode finds the outcomes of steps in every order`() throws {
        let text = """
            name: written
            about: Two raises both count.
            model: {entities: {Account: {attributes: {balance: integer64 required default 0}}}}
            mode: MODE
            contexts: {B1: {policy: objectTrump}, B2: {policy: objectTrump}}
            setup: [insert Account as a with balance = 10]
            sessions:
              one: {context: B1, steps: {r1: set a.balance = a.balance + 5, s1: save}}
              two: {context: B2, steps: {r2: set a.balance = a.balance + 7, s2: save}}
            observe: {balance: read Account.balance}
            outcomes:
              - {grade: acceptable, is: {balance: 22}, because: both count}
              - {grade: interesting, is: {balance: {not: 22}}, because: one is lost}
            """
        let inline = try run(text.replacingOccurrences(of: "MODE", with: "inline"))
        let baton = try run(text.replacingOccurrences(of: "MODE", with: "baton"))
        #expect(Set(baton.outcomes.map(\.text)) == Set(inline.outcomes.map(\.text)))
        #expect(Set(baton.findings.map(\.name)) == Set(inline.findings.map(\.name)))
    }

    private func catalogue(_ name: String) throws -> [ScenarioResult] {
        try suite().run(["\(scenarios)/deadlocks/\(name).yaml"]).scenarios
    }

    @Test func `the reported wait for a saving child is a cycle with two stacks, and cures end`()
        throws
    {
        let cells = try catalogue("mb-70-waiting-on-a-saving-child")
        #expect(cells.map(\.verdict) == [.passed, .passed, .passed])
        let finding = try #require(
            cells[0].findings.first { $0.name == "deadlock" && $0.step == "c2" })
        #expect(
            finding.prose
                == "main holds the main queue and waits for C, which background holds; background"
                + " holds C and waits for the main queue, which main holds. None can go on.")
        #expect(
            finding.evidence == [
                "main: m1 > performAndWait on M > performAndWait on C > waits for C",
                "background: c2 > performAndWait on C, save: push to parent > performAndWait on M"
                    + " > waits for the main queue",
            ])
        for cure in cells.dropFirst() {
            #expect(!cure.findings.contains { $0.name.hasSuffix("deadlock") })
            #expect(cure.reasons.contains { $0.contains("cannot form a cycle") })
        }
    }

    @Test(arguments: [
        ("mb-72-fetching-while-the-writer-fetches", "the main queue, W, store writer"),
        ("mb-74-first-save-and-a-fetch", "the main queue, W, coordinator, store writer"),
    ])
    func `a reported deadlock that does not exist here has the lock order as the reason`(
        name: String, order: String
    ) throws {
        let cells = try catalogue(name)
        #expect(cells.allSatisfy { $0.verdict == .passed && $0.schedules.stoppedAt == nil })
        #expect(!cells.flatMap(\.findings).contains { $0.name.hasSuffix("deadlock") })
        let argument = try #require(cells[0].reasons.last)
        #expect(argument.contains("in the order \(order)"))
        #expect(argument.contains("cannot form a cycle"))
    }
}
