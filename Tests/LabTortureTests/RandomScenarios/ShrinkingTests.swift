import Testing

@testable import LabTorture

/// Tests that a scenario with a finding is reduced to the part that shows it.
@Suite struct DraftShrinkingTests {
    @Test func `parts that do not matter are cut`() throws {
        var draft = Drafts.two(
            ["set o1.n = 2", "insert Part as p1 with n = 1, item = o1; save", "delete o1"],
            ["read o1.n -> x", "save"], policy: "overwrite")
        draft.contexts[0].automerge = true
        draft.observe = [.init(name: "rows", line: "count Item")]
        // This test treats every scenario with a deletion as faulty.
        var shrinker = DraftShrinker(draft) { candidate in
            let shape = try? candidate.shape()
            let isWhole = shape.map { (try? candidate.scenario($0)) != nil } ?? false
            return isWhole && candidate.verbs.contains("delete")
        }
        shrinker.run()
        #expect(
            shrinker.best.sessions.map(\.steps) == [[.init(name: "a3", statements: ["delete o1"])]])
        #expect(shrinker.best.setup.isEmpty)
        #expect(shrinker.best.observe.isEmpty)
        #expect(shrinker.best.entities.isEmpty)
        #expect(shrinker.trials < shrinker.most)
    }

    @Test func `statements lose assignments, options and conditions one by one`() {
        #expect(
            DraftShrinker.shorter("if x insert Item as y with n = 1, m = 2") == [
                "insert Item as y with n = 1, m = 2", "if x insert Item as y",
                "if x insert Item as y with m = 2", "if x insert Item as y with n = 1",
            ])
        #expect(DraftShrinker.shorter("fetch Item where n > 1 -> x") == ["fetch Item -> x"])
        #expect(DraftShrinker.shorter("save").isEmpty)
    }
}
