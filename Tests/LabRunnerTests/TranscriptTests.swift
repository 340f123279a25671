import Foundation
import LabResults
import LabRunner
import Testing

/// A schedule with a hidden lost update. V adds to the value that it read before the save of B was
/// merged.
private let hidden = """
    name: hidden
    about: Both additions count.
    model:
      entities:
        Account:
          attributes: {n: integer64, name: string}
          relationships: {items: many Item inverse account}
          unique: [name]
        Item: {relationships: {account: one Account inverse items}}
    contexts: {V: {}, B: {}, A: {automerge: true}}
    setup: ['insert Account as a with n = 10, name = "x"']
    sessions:
      view:
        context: V
        steps:
          read: read a.n -> seen
          add: set a.n = seen + 7
          merge: merge all from B
          again: merge again from B
          save: save
          refresh: set a.n = 1; refresh a discard
      other: {context: B, steps: {b-add: 'set a.n = a.n + 5, a.name = "y"', b-save: save}}
      third:
        context: A
        steps:
          a-read: read a.items -> has
          a-set: set a.n = 3
          a-save: save
    observe: {n: read Account.n}
    outcomes: [{grade: acceptable, is: {}, because: anything}]
    schedules: ['SCHEDULE']
    """

private let merged =
    "read a-read add b-add b-save ~m(B→A) merge again save ~m(V→A) refresh a-set a-save"

private let refused =
    "read a-read add b-add b-save a-set a-save merge again save refresh ~m(B→A) ~m(V→A)"

private func transcript(_ schedule: String, _ text: String = hidden) throws -> [String] {
    let written = text.replacingOccurrences(of: "SCHEDULE", with: schedule)
    let cell = try withScenario(written) { try suite().run([$0]).scenarios[0] }
    #expect(cell.verdict != .nondeterministic, "\(cell.reasons)")
    let text = try #require(cell.transcripts.first).text
    return text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
}

@Suite struct TranscriptTests {
    @Test func `a computed value is shown with the values from which it was computed`() throws {
        let lines = try transcript(merged)
        #expect(
            lines.contains(
                "add V set a.n = seen + 7 → a.n = 17, computed from a.n = 10 at version 1"))
        #expect(
            lines.contains(
                "b-add B set a.n = a.n + 5, a.name = \"y\" → a.n = 15,"
                    + " computed from a.n = 10 at version 1"))
        #expect(lines.contains("a-set A set a.n = 3"))
    }

    @Test func `a merge shows its changes, also below unsaved values`() throws {
        let lines = try transcript(merged)
        let start = try #require(lines.firstIndex(of: "merge V merge all from B → 1 save"))
        #expect(
            lines[(start + 1)...].prefix(6) == [
                "a.n stays 17, not saved; its row: 10 → 15", "a.name: \"x\" → \"y\"",
                "a: version 1 → 2", "again V merge again from B → 1 save",
                "no object in V has changed", "save V save → ok",
            ])
        let delivered = try #require(lines.firstIndex(of: "~m(B→A) A merge b-save of B"))
        #expect(
            lines[(delivered + 1)...].prefix(4) == [
                "a.n: 10 → 15", "a.name: \"x\" → \"y\"", "a.items is read again when it is used",
                "a: version 1 → 2",
            ])
    }

    @Test func `a refresh shows the unsaved values that it drops`() throws {
        #expect(
            try transcript(merged).contains(
                "a is a fault, which is read again when it is used; dropped unsaved: n = 1"))
    }

    @Test func `a merge conflict shows the object, its versions and the values`() throws {
        let lines = try transcript(refused)
        let start = try #require(lines.firstIndex { $0.hasPrefix("a-save A save → error 133020") })
        #expect(
            lines[(start + 1)...].prefix(3) == [
                "a is version 1 here and version 2 where it is saved",
                "a.n: read as 10, here 3, saved 15",
                "a.name: read as \"x\", here \"x\", saved \"y\"",
            ])
    }

    @Test func `a refused constraint shows the saved row and the row that has the value`() throws {
        let text = hidden.replacingOccurrences(
            of: "a-set: set a.n = 3", with: "a-set: 'insert Account as q with name = \"y\"'")
        #expect(
            try transcript(refused, text).contains(
                "name = \"y\" is set by q; the row of a has it"))
    }

    @Test func `a save that is expected to fail shows its conflicts as well`() throws {
        let text = hidden.replacingOccurrences(
            of: "a-save: save", with: "a-save: save expecting 133020")
        let lines = try transcript(refused, text)
        let start = try #require(
            lines.firstIndex { $0.hasSuffix("error 133020, as expected") })
        #expect(lines[start + 2] == "a.n: read as 10, here 3, saved 15")
    }
}
