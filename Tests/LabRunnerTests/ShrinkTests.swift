import Foundation
import LabFiles
import LabResults
import LabRunner
import LabSchedule
import Testing

/// Six sessions with thirty steps; two of the sessions contain a lost update of one attribute.
private let hidden = """
    name: hidden
    about: Nothing is lost when six sessions work.
    model:
      entities:
        Account:
          attributes: {name: string, balance: integer64 required default 0, note: string}
          relationships: {owner: one Person inverse accounts}
        Person:
          attributes: {name: string, age: integer16}
          relationships: {accounts: many Account inverse owner}
    matrix: {policy: [error, objectTrump]}
    contexts:
      A: {policy: $policy}
      B: {policy: $policy}
      C: {}
      D: {}
      E: {}
      V: {queue: main, automerge: true}
    setup:
      - insert Person as p with name = "Ann", age = 30
      - insert Person as q with name = "Bob", age = 40
      - insert Account as a with name = "one", balance = 10
      - insert Account as b with name = "two", balance = 20
      - relate p.accounts to a, b
    sessions:
      one:
        context: A
        steps:
          a1: fetch Person where name == "Ann" -> ann
          a2: fetch Account where name == "one" -> mine
          a3: read mine.balance -> before
          a4: set mine.balance = before + 5, mine.note = "five"
          a5: save
      two:
        context: B
        steps:
          b1: fetch Person -> people
          b2: fetch Account where name == "one" -> theirs
          b3: read theirs.balance -> seen
          b4: set theirs.balance = seen + 7
          b5: save
      three:
        context: C
        steps:
          c1: insert Person as r with name = "Cid"
          c2: set r.age = 5
          c3: insert Account as s with name = "three"
          c4: relate r.accounts to s
          c5: save
      four:
        context: D
        steps:
          d1: fetch Account where name == "two" -> second
          d2: read second.balance -> there
          d3: set second.note = "seen"
          d4: count Account -> n
          d5: save
      five:
        context: E
        steps:
          e1: count Person -> m
          e2: insert Person as t with name = "Eve"
          e3: set t.age = 9
          e4: fetch Person where name == "Bob" -> bob
          e5: save
      six:
        context: V
        steps:
          v1: fetch Account -> all
          v2: read all.balance -> shown
          v3: count Person -> k
          v4: fetch Person -> everyone
          v5: read everyone.name -> who
    explore: {limit: 200}
    observe: {balance: 'read Account.balance where name == "one"'}
    outcomes:
      - {grade: acceptable, is: {balance: "*"}, because: anything may be}
    """

@Suite struct ShrinkTests {
    /// The shrunk scenario, which all tests share.
    private static let small: Result<ShrunkScenario, any Error> = Result {
        try withScenario(hidden) { path in
            var random = suite()
            random.options.strategy = .random
            let results = try random.explore(path).scenarios
            let found = results.flatMap(\.findings).first { $0.name == "lost update" }
            let token = try #require(found?.token)
            return try suite().shrink(token, finding: "lost update", in: [path])
        }
    }

    @Test func `six sessions with thirty steps become two with at most six, and the same finding`()
        throws
    {
        let small = try Self.small.get()
        #expect(!small.isUnfinished)
        #expect(small.sessions == 2)
        #expect(small.steps <= 6, "\(small.yaml)")
        #expect(small.paragraph.contains("Lost update (G-single)"))
        #expect(!small.yaml.contains("Person"))
        #expect(!small.yaml.contains("main"))
        #expect(small.yaml.contains("balance: \"read Account.balance"))
        let report = try run(small)
        #expect(report.verdict == .passed, "\(report.reasons)\n\(small.yaml)")
        #expect(report.findings.contains { $0.name == "lost update" })
        #expect(report.outcomes.contains { $0.grade == .defect && $0.count > 0 })
    }

    /// Runs the shrunk file with its golden transcript, and replays its token.
    private func run(_ small: ShrunkScenario) throws -> ScenarioResult {
        let folder = NSTemporaryDirectory() + "shrunk-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: "\(folder)/golden", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/\(small.name).yaml"
        try small.yaml.write(toFile: path, atomically: true, encoding: .utf8)
        try small.golden?.text.write(
            toFile: "\(folder)/golden/\(small.golden?.name ?? "")", atomically: true,
            encoding: .utf8)
        let replayed = try suite().replay(small.token, in: [path])
        #expect(replayed.adaptations.isEmpty)
        return try #require(try suite().run([path]).scenarios.first)
    }

    @Test func `a test of a bug fails as long as the bug exists and then passes`() throws {
        let found = try Self.small.get()
        // Shrinks the shrunk file, which is fast.
        try withScenario(found.yaml) { path in
            let small = try suite().shrink(
                found.token, finding: "lost update", as: .test, in: [path])
            #expect(small.golden == nil)
            func verdict(_ text: String) throws -> Verdict? {
                try withScenario(text) { try suite().run([$0]).scenarios.first?.verdict }
            }
            let alive = try verdict(small.yaml)
            #expect(alive == .failed, "\(small.yaml)")
            let cured = small.yaml.replacing("objectTrump", with: "error")
            #expect(cured != small.yaml)
            let gone = try verdict(cured)
            #expect(gone == .passed, "\(cured)")
        }
    }

    @Test func `a deadlock is shrunk, and the file shows the waiting step`() throws {
        let path = "\(scenarios)/deadlocks/mb-70-waiting-on-a-saving-child.yaml"
        let small = try suite().shrink(path, finding: "deadlock", in: [])
        #expect(small.token.contains("^"))
        #expect(small.yaml.contains("status "))
        let report = try run(small)
        #expect(report.verdict == .passed, "\(report.reasons)\n\(small.yaml)")
        #expect(report.findings.contains { $0.name == "deadlock" })
        #expect(report.outcomes.contains { $0.grade == .defect && $0.text.contains("deadlock") })
    }

    /// A scenario that saves a list twice. A save with only one of the changes is not a finding.
    private let counted = """
        name: counted
        about: The list counts both.
        model: {entities: {Item: {attributes: {name: string}}}}
        contexts: {A: {}, B: {}, V: {}}
        sessions:
          one: {context: A, steps: {a1: insert Item as i, a2: save}}
          two: {context: B, steps: {b1: insert Item as j, b2: save}}
          list: {context: V, steps: {v1: count Item -> n, v2: insert Item as k}}
        observe: {second: status b2, stored: count Item, seen: value n}
        headline: [stored]
        outcomes:
          - {grade: interesting, is: {seen: 1}, because: the list has seen one of two}
          - {grade: acceptable, is: {seen: "*"}, because: none or both}
        """

    @Test func `an outcome without a finding is shrunk, whatever the headline names`() throws {
        try withScenario(counted) { path in
            let refused = #expect(throws: InputErrors.self) {
                try suite().shrink(path, in: [])
            }
            #expect(refused?.errors.first?.remedy.contains("--to-outcome") == true)
            let small = try suite().shrink(path, toOutcome: true, in: [])
            #expect(small.sessions == 2 && small.steps <= 3, "\(small.yaml)")
            #expect(small.yaml.contains("seen: value n") && !small.yaml.contains("stored"))
            #expect(small.paragraph.hasPrefix("Outcome (seen = 1)."))
            let report = try run(small)
            #expect(report.verdict == .passed, "\(report.reasons)\n\(small.yaml)")
            let defect = report.outcomes.first { $0.grade == .defect }
            #expect(defect?.text.contains("seen = 1") == true)
            let test = try suite().shrink(path, toOutcome: true, as: .test, in: [])
            try withScenario(test.yaml) { path in
                let ran = try suite().run([path]).scenarios.first
                #expect(ran?.verdict == .failed)
            }
        }
    }

    /// A scenario whose outcome of interest needs the merge that a parameter of the matrix names.
    private let merged = """
        name: merged
        about: The list shows one name twice.
        model: {entities: {Item: {attributes: {name: string}}}}
        matrix: {source: [none, A]}
        contexts: {A: {}, B: {}, V: {merges-from: $source}}
        setup: ['insert Item as i with name = "old"']
        sessions:
          writer: {context: A, steps: {a1: 'set i.name = "new"', a2: save}}
          other: {context: B, steps: {b1: count Item -> n}}
          list: {context: V, steps: {v1: read i.name -> before, v2: read i.name -> after}}
        observe: {before: value before, after: value after}
        outcomes:
          - {grade: interesting, is: {before: old, after: new}, because: a merge came between}
          - {grade: acceptable, is: {before: "*"}, because: both names are equal}
        """

    @Test func `a shrunk scenario keeps the source of its merges, without the parameter`() throws {
        try withScenario(merged) { path in
            let small = try suite().shrink(path, toOutcome: true, in: [])
            #expect(small.sessions == 2, "\(small.yaml)")
            #expect(small.yaml.contains("merges-from: A"))
            #expect(!small.yaml.contains("matrix"))
            let report = try run(small)
            #expect(report.verdict == .passed, "\(report.reasons)\n\(small.yaml)")
        }
    }

    /// The same scenario, whose parameter is an element of a list.
    @Test func `a shrunk scenario keeps a source in a list`() throws {
        let listed = merged.replacing("merges-from: $source", with: "merges-from: [$source]")
        try withScenario(listed) { path in
            let small = try suite().shrink(path, toOutcome: true, in: [])
            #expect(!small.yaml.contains("$source"))
            #expect(try run(small).verdict == .passed)
        }
    }

    @Test func `a scenario without a finding is refused with a remedy`() throws {
        try withScenario(hidden) { path in
            let error = #expect(throws: InputErrors.self) {
                try suite().shrink(path, finding: "resurrected delete", in: [])
            }
            #expect(error?.errors.first?.remedy.contains("lost update") == true)
        }
    }
}
