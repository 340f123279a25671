import Foundation
import LabFiles
import LabResults
import LabRunner
import LabScenario
import Testing

/// The scenario of which each test replaces one or two lines.
private let base = """
    name: written
    about: Two contexts change one account.
    model: {entities: {Account: {attributes: {balance: integer64, name: string}}}}
    contexts: {A: {}, B: {}}
    setup:
      - insert Account as a with balance = 10
    sessions:
      one:
        context: A
        steps:
          a1: set a.balance = a.balance + 1
          a2: save
      two:
        context: B
        steps:
          b1: set a.balance = a.balance + 2
          b2: save
    observe: {balance: read Account.balance, one: status a2, two: status b2}
    outcomes:
      - grade: acceptable
        is: {}
        because: Anything.

    """

private func results(_ text: String) throws -> [ScenarioResult] {
    try withScenario(text) { try suite().run([$0]).scenarios }
}

private func changed(_ pairs: (String, String)...) -> String {
    pairs.reduce(base) { text, pair in
        precondition(text.contains(pair.0), "the base has no '\(pair.0)'")
        return text.replacingOccurrences(of: pair.0, with: pair.1)
    }
}

@Suite struct LanguageTests {
    @Test func `a parameter names the contexts whose saves are merged`() throws {
        let text = changed(
            ("contexts: {A: {}, B: {}}", "contexts: {A: {}, B: {}, V: {merges-from: [$from]}}"),
            ("setup:", "matrix: {from: [A, B, none]}\nsetup:"),
            ("observe: {", "observe: {seen: value seen, "),
            ("b1: set a.balance = a.balance + 2", "b1: set a.name = \"b\""),
            (
                "observe:",
                """
                  viewer:
                    context: V
                    steps: {v1: read a.balance, v2: read a.balance -> seen}
                after: [a2 requires v1, v2 requires a2]
                observe:
                """
            ))
        let cells = try results(text)
        let seen = cells.map { cell in
            Set(cell.outcomes.flatMap(\.observed).filter { $0.name == "seen" }.map(\.value))
        }
        #expect(seen == [["10", "11"], ["10", "11"], ["10"]])
        // The row that B saves also contains the balance that A has saved. A merge from either
        // session delivers it.
        #expect(try #require(cells[0].transcripts.first).text.contains("merges from A"))
        #expect(try #require(cells[1].transcripts.first).text.contains("merges from B"))
        #expect(try #require(cells[2].transcripts.first).text.contains("merges from") == false)
    }

    @Test func `a topology's contexts have the file's settings, and may be an axis`() throws {
        let text = changed(
            ("contexts: {A: {}, B: {}}", "topology: $t\ncontexts: {A: {policy: objectTrump}}"),
            ("setup:", "matrix: {t: [siblings, children, two-coordinators]}\nsetup:"),
            ("a2: save", "a2: save-chain"), ("b2: save", "b2: save-chain"))
        let cells = try results(text)
        #expect(cells.map(\.verdict) == [.passed, .passed, .passed])
        let transcript = try #require(cells[1].transcripts.first).text
        #expect(transcript.contains("A: private queue, child of M"))
        #expect(try #require(cells[2].transcripts.first).text.contains("coordinator second"))
        #expect(try #require(cells[0].transcripts.first).text.contains("policy objectTrump"))
        // A child overwrites the value of another child without a conflict. A save into the store
        // has a conflict.
        let codes = cells.map { cell in
            cell.outcomes.flatMap(\.observed).contains { $0.value == "133020" }
        }
        #expect(codes == [true, false, true])
    }

    @Test func `a document's view and importer are children of one private context`() throws {
        let text = changed(
            ("contexts: {A: {}, B: {}}", "topology: document"), ("context: A", "context: M"),
            ("context: B", "context: I"), ("a2: save", "a2: save-chain"),
            ("b2: save", "b2: save-chain"))
        let cells = try results(text)
        #expect(cells.map(\.verdict) == [.passed])
        let transcript = try #require(cells[0].transcripts.first).text
        #expect(transcript.contains("M: main queue, child of W"))
        #expect(transcript.contains("I: private queue, child of W"))
    }

    @Test func `no step runs between glued steps`() throws {
        let cells = try results(base + "atomic:\n  - a1 a2\n  - b1 b2\n")
        #expect(cells[0].schedules.predicted == 2)
        #expect(cells[0].outcomes.map(\.text).allSatisfy { $0.contains("balance = 13") })
        let error = #expect(throws: InputErrors.self) {
            try results(base + "atomic:\n  - a1 b1\n")
        }
        #expect(
            error?.errors.first?.problem == "these steps do not follow each other in one session")
    }

    @Test func `an invariant fails the schedule that breaks it, and names the finding`() throws {
        let text = changed(("{A: {}, B: {}}", "{A: {policy: overwrite}, B: {policy: overwrite}}"))
        #expect(try results(text)[0].verdict == .passed)
        let broken = try results(text + "invariants: [no-lost-update, no-poison]\n")[0]
        #expect(broken.verdict == .failed)
        #expect(
            broken.reasons == [
                "the invariant 'no-lost-update' of line 23 is broken: lost update"
            ])
    }

    @Test func `a pending scenario is read and counted, and not run`() throws {
        let cell = try results(base + "pending: It waits for something.\n")[0]
        #expect(cell.verdict == .pending)
        #expect(cell.reasons == ["It waits for something."])
        #expect(cell.schedules.explored == 0)
        #expect(throws: InputErrors.self) {
            try results(changed(("a2: save", "a2: sove")) + "pending: It waits.\n")
        }
    }

    @Test func `an included file adds its keys, and its mistakes are reported with its name`()
        throws
    {
        let shared = """
            model: {entities: {Account: {attributes: {balance: integer64, name: string}}}}
            setup: [insert Account as a with balance = 10]
            """
        let text = changed(
            (
                "model: {entities: {Account: {attributes: {balance: integer64, name: string}}}}",
                "include: shared.part.yaml"
            ),
            ("setup:\n  - insert Account as a with balance = 10\n", ""))
        func run(_ shared: String?) throws -> RunReport {
            try withScenario(text) { path in
                let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
                if let shared {
                    try shared.write(
                        to: folder.appendingPathComponent("shared.part.yaml"), atomically: true,
                        encoding: .utf8)
                }
                return try suite().run([folder.path])
            }
        }
        let report = try run(shared)
        #expect(report.scenarios.map(\.verdict) == [.passed], "the part is no scenario of its own")
        let absent = #expect(throws: InputErrors.self) { try run(nil) }
        #expect(absent?.errors.first?.problem == "the file 'shared.part.yaml' does not exist")
        #expect(absent?.errors.first?.line == 3)
        let wrong = #expect(throws: InputErrors.self) { try run(shared + "\nsetap: []") }
        #expect(wrong?.errors.first?.file == "shared.part.yaml")
        #expect(wrong?.errors.first?.line == 3)
    }

    @Test func `a save that expects an error continues after it, and fails without it`() throws {
        let text =
            changed(
                ("b2: save", "b2: save expecting 133020; rollback; read a.balance -> later"))
            + "after: [b2 requires a2, a2 requires b1]\n"
        let cell = try results(text)[0]
        #expect(cell.outcomes.map(\.text) == ["(balance = 11, one = ok, two = ok)"])
        let other = try results(text.replacingOccurrences(of: "133020", with: "133021"))[0]
        #expect(other.outcomes[0].text.contains("two = unexpected"))
    }

    @Test func `steps may set the policy, and turn on merging`() throws {
        let policy = changed(
            ("b1: set", "b1: policy objectTrump; set"), ("a1: set", "a1: policy overwrite; set"))
        #expect(
            try results(policy)[0].outcomes.flatMap(\.observed).allSatisfy { $0.value != "133020" })
        let merging = changed(
            ("b1: set a.balance = a.balance + 2", "b1: automerge on; read a.balance"),
            ("b2: save", "b2: read a.balance -> seen"), ("two: status b2", "two: value seen"))
        let transcripts = try results(merging)[0].outcomes.compactMap(\.token)
        #expect(transcripts.contains { $0.contains("~m(A→B)") })
    }

    @Test func `a wait runs a block on another context at once, also inside another wait`() throws {
        let text =
            changed(("b1: set a.balance = a.balance + 2", "b1: wait outer"))
                + """
                blocks:
                  outer: {context: A, do: wait inner; read a.balance}
                  inner: {context: B, do: set a.name = "inner"}

                """
        let cell = try results(text)[0]
        #expect(cell.verdict == .passed)
        #expect(try #require(cell.transcripts.first).text.contains("set a.name = \"inner\""))
    }

    @Test func `the quirks of Apple's framework are played if a file requests them`() throws {
        let text =
            changed(
                ("contexts:", "quirk: $quirk\ncontexts:"),
                ("setup:", "matrix: {quirk: [none, refetch-keeps-values]}\nsetup:"),
                ("b1: set a.balance = a.balance + 2", "b1: fetch Account realised -> all"),
                ("b2: save", "b2: fetch Account refreshing -> all; read all.balance -> seen"),
                ("two: status b2", "two: value seen")) + "after: [a1 requires b1, b2 requires a2]\n"
        let seen = try results(text).map { $0.outcomes.map { $0.observed[2].value } }
        #expect(seen == [["11"], ["10"]])
    }

    @Test func `a pinned schedule keeps its transcript, and a change of it is shown`() throws {
        let text = base + "pinned: {turns: a1 a2 b1 b2}\n"
        try withScenario(text) { path in
            let missing = try suite().run([path]).scenarios[0]
            #expect(missing.verdict == .failed)
            #expect(missing.reasons[0].contains("faultline bless"))
            let change = try #require(try suite().goldenChanges([path]).first)
            #expect(change.old == nil && change.path.hasSuffix("golden/written.turns.txt"))
            let golden = URL(fileURLWithPath: change.path)
            try FileManager.default.createDirectory(
                at: golden.deletingLastPathComponent(), withIntermediateDirectories: true)
            try change.new.write(to: golden, atomically: true, encoding: .utf8)
            #expect(try suite().run([path]).scenarios[0].verdict == .passed)
            #expect(try suite().goldenChanges([path]).isEmpty)
            try text.replacingOccurrences(of: "+ 1", with: "+ 3")
                .write(toFile: path, atomically: true, encoding: .utf8)
            let differs = try suite().run([path]).scenarios[0]
            #expect(differs.reasons.contains { $0.contains("differs from") })
        }
    }

    @Test(arguments: [
        ("b2: state a is-deleted", "passed"), ("b2: obtain-ids", "passed"),
        ("b2: make Account as x; register x; save", "passed"),
        ("b2: merge newest from A; merge again from A", "passed"),
        ("b2: merge-remote A into B", "passed"), ("b2: refresh-all; fire a", "passed"),
        ("b2: look-up a@A as c; read c.balance; release c", "passed"),
        ("b2: fetch Account offset 1 batch 2 without-pending without-subentities", "passed"),
        ("b2: staleness 0; refresh a discard", "passed"),
    ])
    func `every rare statement runs`(step: String, verdict: String) throws {
        let text = changed(("b2: save", step))
        let cell = try results(text)[0]
        #expect(cell.verdict.rawValue == verdict, "\(cell.reasons)")
        #expect(cell.findings.allSatisfy { $0.name != "engine error" }, "\(cell.findings)")
    }

    @Test func `an object that is registered again keeps its name`() throws {
        let text = changed(("b2: save", "b2: register a; fetch Account -> all"))
        let cell = try results(text)[0]
        #expect(!cell.findings.contains { $0.prose.contains("a#2") }, "\(cell.findings)")
        #expect(cell.verdict.rawValue == "passed", "\(cell.reasons)")
    }

    @Test func `undo reverts a change and redo repeats it`() throws {
        let text = changed(
            ("B: {}", "B: {undo: true}"),
            (
                "b1: set a.balance = a.balance + 2",
                "b1: set a.balance = 20; process-pending; undo; read a.balance -> undone"
            ), ("b2: save", "b2: redo; read a.balance -> redone"),
            ("one: status a2, two: status b2", "one: value undone, two: value redone"),
            ("a2: save", "a2: rollback"))
        let seen = try results(text)[0].outcomes.map(\.text)
        #expect(seen == ["(balance = 10, one = 10, two = 20)"])
    }
}
