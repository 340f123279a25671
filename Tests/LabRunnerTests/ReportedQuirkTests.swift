import LabResults
import LabRunner
import Testing

/// The key `quirk` simulates bugs of Apple's framework. Each is compared with the behaviour of the
/// engine.
@Suite struct ReportedQuirkTests {
    private func outcomes(
        _ steps: String, quirk: String, policy: String = "error", observe: String
    ) throws -> [String] {
        let text = """
            name: played
            about: A misbehaviour that others have reported.
            model:
              entities:
                Cat: {attributes: {n: integer64}}
                Dog: {attributes: {n: integer64}}
                Puppy: {parent: Dog}
                Owner:
                  attributes: {id: string}
                  relationships: {pets: many Pet inverse owner}
                  unique: [id]
                Pet:
                  attributes: {n: integer64}
                  relationships: {owner: one Owner inverse pets}
            contexts: {V: {policy: \(policy), undo: true}, C: {parent: V}}
            quirk: \(quirk)
            setup:
              - insert Cat as cat with n = 1
              - insert Dog as dog with n = 1
              - insert Puppy as puppy with n = 1
              - insert Owner as known with id = "a"
            sessions:
              one: {context: V, steps: {\(steps)}}
            observe: \(observe)
            outcomes: [{grade: acceptable, is: {}, because: Anything.}]

            """
        let result = try #require(try withScenario(text) { try suite().run([$0]).scenarios }.first)
        return result.outcomes.map(\.text).sorted()
    }

    @Test func `the save after deleting a new object fails, until the context forgets it`() throws {
        func ends(_ quirk: String) throws -> [String] {
            try outcomes(
                "s1: 'insert Cat as new; delete new; set cat.n = 5', s2: save,"
                    + " s3: 'rollback; set cat.n = 6', s4: save", quirk: quirk,
                observe: "{first: status s2, second: status s4, n: read Cat.n}")
        }
        #expect(try ends("none") == ["(first = ok, second = ok, n = 6)"])
        #expect(
            try ends("deleting-unsaved-raises") == ["(first = 134030, second = ok, n = 6)"])
    }

    @Test func `a deletion that is undone is not a deletion`() throws {
        let ends = try outcomes(
            "s1: 'insert Cat as new', s2: 'delete new', s3: undo, s4: save",
            quirk: "deleting-unsaved-raises",
            observe: "{s: status s4, cats: count Cat}")
        #expect(ends == ["(s = ok, cats = 1)"])
    }

    @Test func `with the quirk, IN still finds objects of a subentity`() throws {
        let ends = try outcomes(
            "s1: 'fetch Puppy -> young; count Dog where SELF  IN $young -> found'",
            quirk: "in-ignores-entity", observe: "{found: value found}")
        #expect(ends == ["(found = 1)"])
    }

    @Test func `with the quirk, deleting an object with a row is not refused`() throws {
        let ends = try outcomes(
            "s1: 'delete cat; save'", quirk: "deleting-unsaved-raises",
            observe: "{s: status s1, cats: count Cat}")
        #expect(ends == ["(s = ok, cats = 0)"])
    }

    @Test func `with the quirk, IN finds the key of another entity`() throws {
        func ends(_ quirk: String) throws -> [String] {
            try outcomes(
                "s1: 'fetch Cat -> cats; count Dog where SELF IN $cats -> found'", quirk: quirk,
                observe: "{found: value found}")
        }
        #expect(try ends("none") == ["(found = 0)"])
        #expect(try ends("in-ignores-entity") == ["(found = 1)"])
    }

    @Test func `with the quirk, IN still finds the objects that it names`() throws {
        let ends = try outcomes(
            "s1: 'fetch Dog -> dogs; count Dog where SELF IN $dogs -> found'",
            quirk: "in-ignores-entity", observe: "{found: value found}")
        #expect(ends == ["(found = 2)"])
    }

    @Test(arguments: ["storeTrump", "objectTrump", "overwrite"])
    func `with the quirk, links to the loser of a constraint become nil`(policy: String) throws {
        func ends(_ quirk: String) throws -> [String] {
            try outcomes(
                "s1: 'insert Owner as twin with id = \"a\"; insert Pet as pet with owner = twin;"
                    + " save', s2: 'reset; fetch Pet -> pets; read pets.owner.id -> owner'",
                quirk: quirk, policy: policy,
                observe: "{s: status s1, owners: count Owner, owner: value owner}")
        }
        #expect(try ends("none") == ["(s = ok, owners = 1, owner = a)"])
        #expect(try ends("losers-dangle") == ["(s = ok, owners = 1, owner = nil)"])
    }

    @Test(arguments: [
        ("none", ["(seen = 5)"]), ("merges-after-observers", ["(seen = 1)"]),
    ])
    func `a merge is queued before or after the blocks that an observer enqueues`(
        quirk: String, ends: [String]
    ) throws {
        let text = """
            name: played
            about: An observer of a save looks at a context that merges by itself.
            model:
              entities:
                Cat: {attributes: {n: integer64}}
            contexts: {W: {on-save: look}, V: {queue: main, automerge: true}}
            quirk: \(quirk)
            setup: [insert Cat as cat with n = 1]
            blocks:
              look: {context: V, do: read cat.n -> seen}
            sessions:
              reader: {context: V, steps: {v1: read cat.n}}
              writer: {context: W, steps: {w1: set cat.n = 5; save}}
            after: [w1 requires v1]
            observe: {seen: value seen}
            outcomes: [{grade: acceptable, is: {}, because: Anything.}]

            """
        let result = try #require(try withScenario(text) { try suite().run([$0]).scenarios }.first)
        #expect(result.outcomes.map(\.text).sorted() == ends)
    }
}
