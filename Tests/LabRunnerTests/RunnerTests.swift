import Foundation
import LabFiles
import LabResults
import LabRunner
import LabScenario
import LabSchedule
import Testing

/// The steps of one session misuse the engine in three ways.
private let misuse = """
    name: written
    about: Misuse is found and the run goes on.
    model:
      entities:
        Account:
          attributes: {name: string}
          relationships: {owner: one Person inverse accounts}
        Person:
          attributes: {name: string}
          relationships: {accounts: many Account inverse owner}
    contexts:
      A: {}
      B: {}
    setup:
      - insert Account as a with name = "x"
    sessions:
      one:
        context: A
        steps:
          s1: insert Person as p with name = "y"
      two:
        context: B
        steps:
          t1: set a.owner = p@A
          t2: unchecked fetch Account where name ==
          t3: off-queue set a.name = "z"
          t4: fetch Account where nothing == 1
          t5: set a.name = "after all"
          t6: save
    after:
      - t1 requires s1
    observe:
      name: read Account.name
      crossing: status t1
      parsing: status t2
      leaving: status t3
      asking: status t4
    outcomes:
      - grade: acceptable
        is: {name: after all, crossing: misuse, parsing: misuse, leaving: misuse, asking: misuse}
        because: The last steps ran although the first ones failed.
    """

@Suite struct RunnerTests {
    @Test func `misuse inside a step is a finding, and the run continues to its end`() throws {
        let report = try withScenario(misuse) { try suite().run([$0]) }
        let result = try #require(report.scenarios.first)
        #expect(result.verdict == .passed, "\(result.reasons)")
        let names = result.findings.map { "\($0.name) in \($0.step ?? "")" }
        #expect(
            names == [
                "crossed contexts in t1", "bad predicate in t2", "queue confinement in t3",
                "bad predicate in t4",
            ])
        #expect(result.findings.allSatisfy { $0.token != nil })
    }

    @Test(arguments: ["where name == ", "where (name == \"x\"", "where name === 3"])
    func `a predicate that does not parse is reported with its location in the file`(
        predicate: String
    ) throws {
        let text = small.replacingOccurrences(of: "where name == \"x\"", with: predicate)
        let error = #expect(throws: InputErrors.self) {
            try withScenario(text) { _ = try suite().run([$0]) }
        }
        let problem = try #require(error?.errors.first)
        #expect(problem.line == 11)
        #expect((problem.column ?? 0) > 30)
        #expect(problem.problem.hasPrefix("the predicate does not parse"))
    }

    @Test func `an invalid store, a missing one and a missing model have their locations`()
        throws
    {
        func problem(_ store: String) throws -> InputError? {
            let text = small.replacingOccurrences(
                of: "contexts:", with: "store: {copy-of: \(store)}\ncontexts:")
            let error = #expect(throws: InputErrors.self) {
                try withScenario(text) { path in
                    try "no database".write(
                        toFile: path + ".sqlite", atomically: true, encoding: .utf8)
                    _ = try suite().run([path])
                }
            }
            return error?.errors.first
        }
        let none = try problem("written.yaml.sqlite")
        #expect(none?.problem == "'written.yaml.sqlite' is not a SQLite database")
        #expect(none?.line == 4)
        #expect(try problem("absent.sqlite")?.problem == "the store 'absent.sqlite' does not exist")
        let model = small.replacingOccurrences(
            of: "model: {entities: {Account: {attributes: {name: string}}}}",
            with: "model: {path: absent.xcdatamodeld}")
        let error = #expect(throws: InputErrors.self) {
            try withScenario(model) { _ = try suite().run([$0]) }
        }
        #expect(error?.errors.first?.line == 3)
    }

    @Test func `a scenario works on a copy of an existing store, which stays unchanged`() throws {
        let source = fixtures.folder.map {
            "\($0)/stores/duckduckgo-BrowserServicesKit-Bookmarks_V1.sqlite"
        }
        guard let source, FileManager.default.fileExists(atPath: source) else {
            try Test.cancel("the fixtures folder is absent; set FAULTLINE_FIXTURES")
        }
        func content() throws -> [Data?] {
            ["", "-wal", "-shm"].map { FileManager.default.contents(atPath: source + $0) }
        }
        let before = try content()
        let report = try suite().run([scenarios + "/real"])
        #expect(
            report.scenarios.allSatisfy { $0.verdict == .passed },
            "\(report.scenarios.map(\.reasons))")
        #expect(try content() == before)
    }

    @Test func `a missing fixture skips the scenario with a message, or fails it on request`()
        throws
    {
        var options = SuiteOptions()
        options.fixtures = Fixtures(folder: nil)
        let skipped = try ScenarioSuite(options).run([scenarios + "/real"])
        #expect(skipped.scenarios.map(\.verdict) == [.skipped])
        #expect(skipped.scenarios[0].reasons[0].contains("FAULTLINE_FIXTURES"))
        options.requiresFixtures = true
        #expect(
            try ScenarioSuite(options).run([scenarios + "/real"]).scenarios.map(\.verdict) == [
                .failed
            ])
    }

    @Test func `a store in a file has the outcomes of one in memory`() throws {
        func outcomes(_ store: String) throws -> [[String]] {
            let text = try String(
                contentsOfFile: scenarios + "/policies/mb-09-denormalised-count.yaml",
                encoding: .utf8
            ).replacingOccurrences(
                of: "contexts:\n  C1", with: "store: \(store)\n\ncontexts:\n  C1")
            let report = try withScenario(text) { try suite().run([$0]) }
            return report.scenarios.map { $0.outcomes.map { "\($0.count) \($0.text)" } }
        }
        let image = try outcomes("sqlite-image")
        #expect(try outcomes("sqlite") == image)
        #expect(try outcomes("{kind: sqlite, journal: delete}") == image)
    }

    @Test func `a run that stops at a limit is inconclusive, although nothing failed in it`() throws
    {
        var options = SuiteOptions()
        options.limit = 1
        options.strategy = .random
        let text = try String(
            contentsOfFile: scenarios + "/policies/mb-09-denormalised-count.yaml", encoding: .utf8)
        let verdicts = try withScenario(text) { path in
            try (0..<20).flatMap { seed in
                options.seed = UInt64(seed)
                return try ScenarioSuite(options).run([path]).scenarios
                    .filter { $0.cellText == "policy=objectTrump" }
            }
        }
        #expect(Set(verdicts.map(\.verdict)) == [.inconclusive])
        #expect(verdicts.allSatisfy { $0.schedules.stoppedAt == "the limit of 1 schedules" })
        // If the bug was seen, the limit is the only reason. Otherwise the reason also says that it
        // was not seen.
        #expect(Set(verdicts.map(\.reasons.count)) == [1])
        #expect(Set(verdicts.map { $0.reasons[0].contains("was not seen") }) == [true, false])
    }

    @Test func `only pinned schedules run, and orders that wait for each other are refused`()
        throws
    {
        let pinned = small + "schedules:\n  - s1 t1 s2\n"
        let report = try withScenario(pinned) { try suite().run([$0]) }
        #expect(report.scenarios[0].schedules.explored == 1)
        #expect(report.scenarios[0].schedules.strategy == "as written")
        let stuck = small + "after:\n  - s1 requires t1\n  - t1 requires s2\n"
        let error = #expect(throws: InputErrors.self) {
            try withScenario(stuck) { _ = try suite().run([$0]) }
        }
        #expect(error?.errors.first?.problem.contains("can never run") == true)
    }

    @Test func `two stacks on one file conflict below the row cache`() throws {
        let text = """
            name: written
            about: Another stack's save is noticed.
            model: {entities: {Account: {attributes: {balance: integer64}}}}
            store: sqlite
            contexts:
              A: {policy: $policy}
              B: {coordinator: other, policy: $policy}
            matrix: {policy: [error, objectTrump]}
            setup: [insert Account as a with balance = 10]
            sessions:
              one: {context: A, steps: {a1: set a.balance = a.balance + 1, a2: save}}
              two: {context: B, steps: {b1: set a.balance = a.balance + 2, b2: save}}
            observe: {balance: read Account.balance, one: status a2, two: status b2}
            outcomes:
              - {grade: acceptable, is: {balance: 13, one: ok, two: ok}, because: In turn.}
              - grade: acceptable
                is: {balance: {one-of: [11, 12]}}
                when: {policy: error}
                because: The second one is told.
              - grade: defect
                is: {balance: {one-of: [11, 12]}, one: ok, two: ok}
                when: {policy: objectTrump}
                finding: lost update
                because: Both saved.
            """
        let report = try withScenario(text) { try suite().run([$0]) }
        #expect(report.scenarios.map(\.verdict) == [.passed, .passed])
        let codes = report.scenarios[0].outcomes.flatMap(\.observed).map(\.value)
        #expect(codes.contains("133020"))
    }

    @Test func `a predicate may contain objects, values that were read, and parameters`() throws {
        let text = """
            name: written
            about: Names in predicates stand for what was bound.
            model:
              entities:
                Person:
                  attributes: {name: string}
                  relationships: {accounts: many Account inverse owner}
                Account:
                  attributes: {balance: integer64}
                  relationships: {owner: one Person inverse accounts}
            contexts: {A: {}}
            matrix: {least: [5, 50]}
            setup:
              - insert Person as p with name = "x"
              - insert Account with balance = 10, owner = p
              - insert Account with balance = 100
            sessions:
              one:
                context: A
                steps:
                  s1: count Account where owner == $p -> owned
                  s2: count Account where balance > $least -> rich
                  s3: read p.name -> called; fetch Person where name == $called -> found
                  s4: if found count Account where owner == $found -> again
            observe:
              owned: value owned
              rich: value rich
              again: value again
              seen: count Account where owner == $p AND balance > $least
            outcomes:
              - grade: acceptable
                is: {owned: 1, rich: 2, again: 1, seen: 1}
                when: {least: 5}
                because: Both accounts have more.
              - grade: acceptable
                is: {owned: 1, rich: 1, again: 1, seen: 0}
                when: {least: 50}
                because: The owned account has less.
            """
        let report = try withScenario(text) { try suite().run([$0]) }
        #expect(
            report.scenarios.map(\.verdict) == [.passed, .passed],
            "\(report.scenarios.map(\.reasons))")
    }

    @Test func `the pattern serial stands for the outcomes of sessions one after another`() throws {
        let text = small.replacingOccurrences(of: "is: {rows: 1}", with: "is: serial")
        let report = try withScenario(text) { try suite().run([$0]) }
        #expect(report.scenarios[0].verdict == .passed)
    }

    @Test func `a token can be replayed after a step was added to its file, with a message`() throws
    {
        let report = try withScenario(small) { try suite().explore($0) }
        let token = try #require(report.scenarios[0].outcomes[0].token)
        let edited = small.replacingOccurrences(
            of: "s2: save", with: "extra: count Account\n      s2: save")
        let replayed = try withScenario(edited) { try suite().replay(token, in: [$0]) }
        #expect(replayed.first == replayed.second)
        #expect(replayed.adaptations.first == "the file has changed since the token was printed")
        #expect(
            replayed.adaptations.contains(
                "'extra' ran before 's2', which now follows 'extra' in the scenario"))
    }

    @Test(arguments: [
        "lab2:written@00000000:-:s1", "lab1:other@00000000:-:s1",
        "lab1:written@00000000:policy=x:s1",
    ])
    func `a token that fits no scenario is refused with a remedy`(token: String) throws {
        let error = #expect(throws: InputErrors.self) {
            try withScenario(small) { _ = try suite().replay(token, in: [$0]) }
        }
        #expect(error?.errors.first?.remedy.isEmpty == false)
    }

    private let small = """
        name: written
        about: One row is there.
        model: {entities: {Account: {attributes: {name: string}}}}
        contexts: {A: {}, B: {}}
        setup:
          - insert Account as a with name = "x"
        sessions:
          one:
            context: A
            steps:
              s1: fetch Account where name == "x" -> found
              s2: save
          two:
            context: B
            steps:
              t1: count Account
        observe: {rows: count Account}
        outcomes:
          - grade: acceptable
            is: {rows: 1}
            because: Nothing was written.

        """
}
