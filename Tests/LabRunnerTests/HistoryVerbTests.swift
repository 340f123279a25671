import LabFiles
import LabResults
import LabRunner
import Testing

/// Tests of steps that fetch the history of the store, keep tokens, and merge from the history.
@Suite struct HistoryVerbTests {
    private func outcomes(
        _ steps: [String: String], after: String = "", store: String = "sqlite-image",
        mode: String = "inline", observe: String
    ) throws -> [String] {
        let sessions = steps.sorted { $0.key < $1.key }.map { context, steps in
            "  \(context.lowercased()): {context: \(context), steps: {\(steps)}}"
        }
        let text = """
            name: written
            about: What the store's history has.
            model: {entities: {Item: {attributes: {n: integer64, m: integer64}}}}
            store: \(store)
            mode: \(mode)
            setup: ["insert Item as a with n = 1", "insert Item as b with n = 2"]
            contexts: {A: {}, B: {}}
            sessions:
            \(sessions.joined(separator: "\n"))
            after: [\(after)]
            observe: {\(observe)}
            outcomes:
              - {grade: acceptable, is: {}, because: Anything.}

            """
        let result = try #require(try withScenario(text) { try suite().run([$0]).scenarios }.first)
        return result.outcomes.map(\.text).sorted()
    }

    @Test(arguments: ["sqlite-image", "sqlite"])
    func `the history has each save with its author`(store: String) throws {
        let seen = try outcomes(
            [
                "A": "a1: 'set a.n = 5, a.m = 6; insert Item as c; save', a2: 'delete b; save'",
                "B": "b1: 'batch-update Item with m = 9 where n == 5', b2: history -> seen",
            ], after: "b1 requires a2", store: store, observe: "seen: value seen")
        let expected =
            "(seen = [A in a1: insert c, update a.m, update a.n, A in a2: delete b,"
            + " B in b1: update a.m])"
        #expect(seen == [expected])
    }

    @Test func `a token excludes the saves before it`() throws {
        let seen = try outcomes(
            [
                "A": "a1: 'set a.n = 5; save', a2: 'set b.n = 6; save'",
                "B": "b1: history-token -> t, b2: history since t -> seen",
            ], after: "b1 requires a1, a2 requires b1, b2 requires a2", observe: "seen: value seen")
        #expect(seen == ["(seen = [A in a2: update b.n])"])
    }

    @Test func `the order of saves of different rows is explored if a step reads the history`()
        throws
    {
        let seen = try outcomes(
            [
                "A": "a1: 'set a.n = 5; save', a2: history -> seen",
                "B": "b1: 'set b.n = 6; save'",
            ], after: "a2 requires b1", observe: "seen: value seen")
        #expect(
            seen == [
                "(seen = [A in a1: update a.n, B in b1: update b.n])",
                "(seen = [B in b1: update b.n, A in a1: update a.n])",
            ])
    }

    @Test(arguments: ["inline", "baton"])
    func `merging by history merges the saves of others, each once`(mode: String) throws {
        let seen = try outcomes(
            [
                "A": "a1: 'set a.n = 5; save'",
                "B": "b1: read a.n, b2: 'set b.n = 7; save', b3: merge-history, "
                    + "b4: 'read a.n -> seen'",
            ], after: "a1 requires b1, b3 requires a1", mode: mode, observe: "seen: value seen")
        #expect(seen == ["(seen = 5)"])
    }

    @Test func `a context's own saves are not merged into it`() throws {
        let seen = try outcomes(
            [
                "A": "a1: 'set a.n = 5; save; merge-history; history -> seen'",
                "B": "b1: read b.n",
            ], observe: "seen: value seen")
        #expect(seen == ["(seen = [A in a1: update a.n])"])
    }

    @Test(arguments: ["in-memory", "xml", "binary"])
    func `a store without a history is refused at the statement`(store: String) {
        let error = #expect(throws: InputErrors.self) {
            try outcomes(
                ["A": "a1: history -> seen", "B": "b1: read a.n"], store: store,
                observe: "seen: value seen")
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("history needs SQLite"))
    }

    @Test func `an object is not a token`() {
        let error = #expect(throws: InputErrors.self) {
            try outcomes(
                ["A": "a1: history since a -> seen", "B": "b1: read a.n"],
                observe: "seen: value seen")
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("'a' is an object, not a token"))
    }
}
