import Foundation
import LabRunner
import LabScenario
import LabSchedule
import Testing

/// Compares findings with the contents of the store, in families of similar generated scenarios.
@Suite struct FindingTruthTests {
    private static let head = """
        name: truth
        about: One of a family of scenarios.
        model:
          entities:
            Account:
              attributes: {key: string, name: string, note: string}
              unique: [key]

        """

    private static let tail = """
        observe: {name: read Account.name}
        outcomes:
          - grade: acceptable
            is: {}
            because: The test compares what comes of it.

        """

    private func ends(_ text: String) throws -> [ScheduleEnd] {
        let scenario = try ScenarioReader().read(Array(text.utf8), file: "truth.yaml")
        guard case .inline(let shape) = scenario.model else { return [] }
        let folder = NSTemporaryDirectory() + "truth-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let trial = try ScenarioTrial(scenario, model: TrialModel(shape), folder: folder)
        defer { trial.close() }
        var ends: [ScheduleEnd] = []
        try trial.explore(.exhaustive, limit: 100) { end, _ in
            ends.append(end)
            return true
        }
        return ends
    }

    /// The context `place` inserts a duplicate of the account "k", with the values in `named`.
    @Test(arguments: ["M", "C"], ["", ", name = \"new\"", ", name = \"new\", note = \"mine\""])
    func `a value that is set anywhere below is not reported as blanked`(
        place: String, named: String
    ) throws {
        let text =
            Self.head + """
                contexts: {M: {policy: objectTrump}, C: {parent: M}}
                setup:
                  - insert Account as a with key = "k", name = "old", note = "kept"
                sessions:
                  user:
                    context: \(place)
                    steps:
                      c1: insert Account with key = "k"\(named)
                      c2: save-chain

                """ + Self.tail
        for end in try ends(text) {
            let blanked = end.findings.contains { $0.hasPrefix("blanked by trump") }
            // The existing row had both values. A duplicate that sets both of them blanks neither.
            #expect(blanked == !named.contains("note"), "\(end)")
            #expect(end.statuses["c2"] == "ok")
        }
    }

    /// The context `maker` inserts an object, and the context `taker` uses the id of the object.
    @Test(arguments: ["M", "C"], ["M", "C", "D", "S"])
    func `a temporary id has escaped if it leads to no object`(maker: String, taker: String) throws
    {
        if maker == taker { return }
        for (verb, save) in [("object", false), ("look-up", false), ("object", true)] {
            let text =
                Self.head + """
                    contexts: {M: {}, C: {parent: M}, D: {parent: M}, S: {}}
                    sessions:
                      maker:
                        context: \(maker)
                        steps:
                          m1: insert Account as x with key = "k"
                          m2: \(save && maker == "C" ? "save" : "state x is-inserted")
                      taker:
                        context: \(taker)
                        steps:
                          t1: \(verb) x@\(maker) as y
                          t2: read y.key -> seen
                    after:
                      - t1 requires m2

                    """ + Self.tail
            for end in try ends(text) {
                let escaped = end.findings.contains { $0.hasPrefix("temporary id escaped") }
                #expect(escaped == (end.values["seen"] != "k"), "\(verb) \(end)")
            }
        }
    }

    /// An app reads a required attribute as a `Bool`, and nil as false.
    @Test(arguments: ["done", "open"], ["required", ""])
    func `setting what was read loses nothing`(key: String, isRequired: String) throws {
        let text = """
            name: unchanged
            about: One context sets a flag to the value that it has.
            model:
              entities:
                Task:
                  attributes: {done: boolean \(isRequired), open: boolean required default false}
            store: sqlite
            contexts: {A: {policy: storeTrump}, B: {}}
            setup: ['insert Task as t with done = false, open = false']
            sessions:
              first:
                context: A
                steps:
                  a1: read t.\(key)
                  a2: set t.\(key) = false; save
              second: {context: B, steps: {b1: set t.\(key) = true, b2: save}}
              other: {context: B, steps: {o1: outside "UPDATE ZTASK SET ZDONE = NULL"}}
            after: [a1 requires o1, b1 requires o1]
            observe: {done: read Task.done}
            outcomes: [{grade: acceptable, is: {}, because: The test compares what comes of it.}]

            """
        let ends = try ends(text)
        let isLoss = key == "done" && isRequired.isEmpty
        #expect(ends.count > 1)
        #expect(ends.contains { !$0.findings.isEmpty } == isLoss, "\(ends)")
    }

    /// Two contexts add the same member or two different members to a counted relationship.
    @Test(arguments: ["same", "other"])
    func `a recount counts the members that are left after a duplicate`(second: String) throws {
        let text = """
            name: recount
            about: A count of members that are unique.
            model:
              entities:
                Country:
                  attributes: {name: string, moods: integer32 required default 0}
                  relationships: {members: many Mood inverse country cascade}
                Mood:
                  attributes: {key: string}
                  relationships: {country: one Country inverse members}
                  unique: [key]
            contexts:
              A: {policy: recount Country.moods from members}
              B: {policy: recount Country.moods from members}
            setup:
              - insert Country as k with name = "Iceland"
            sessions:
              first:
                context: A
                steps:
                  a1: insert Mood with key = "same", country = k; set k.moods = k.moods + 1
                  a2: save
              second:
                context: B
                steps:
                  b1: insert Mood with key = "\(second)", country = k; set k.moods = k.moods + 1
                  b2: save
            observe: {moods: read Country.moods, rows: count Mood}
            outcomes:
              - grade: acceptable
                is: {}
                because: The test compares what comes of it.

            """
        for end in try ends(text) {
            #expect(end.outcome[0] == end.outcome[1], "\(end)")
            #expect(end.outcome[1] == (second == "same" ? "1" : "2"))
        }
    }
}
