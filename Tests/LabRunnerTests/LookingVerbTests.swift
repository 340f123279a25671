import Foundation
import LabFiles
import LabResults
import LabRunner
import Testing

/// Runs a scenario with one list of three items, in the order a, b, c.
private func result(
    _ sessions: String, observe: String, store: String = "sqlite-image", first: String = "{}",
    second: String = "{}"
) throws -> ScenarioResult {
    let text = """
        name: looked
        about: What a step looks at.
        model:
          entities:
            List:
              attributes: {name: string, n: integer64 required default 0}
              relationships: {items: ordered Item inverse list}
            Item:
              attributes: {name: string}
              relationships: {list: one List inverse items}
        store: \(store)
        contexts: {V: \(first), B: \(second)}
        setup:
          - insert List as l with name = "old", n = 1
          - insert Item as a with name = "a", list = l
          - insert Item as b with name = "b", list = l
          - insert Item as c with name = "c", list = l
        sessions:
        \(sessions)
        observe:
        \(observe)
        outcomes:
          - grade: acceptable
            is: {}
            because: Anything.

        """
    return try #require(try withScenario(text) { try suite().run([$0]).scenarios }.first)
}

/// Runs one session in the context V, and returns the outcomes as text.
private func looked(
    _ steps: String, observe: String, store: String = "sqlite-image"
) throws -> [String] {
    try result(
        "  one: {context: V, steps: {\(steps)}}", observe: "  \(observe)", store: store
    ).outcomes.map(\.text)
}

@Suite struct LookingVerbTests {
    @Test func `an ordered relationship is set as a whole and read in its order`() throws {
        let outcomes = try looked(
            "s1: 'order l.items as c, a, b; save; refresh l discard; members l.items -> seen'",
            observe: "{seen: value seen}")
        #expect(outcomes == ["(seen = [c, a, b])"])
    }

    @Test func `the members of a saved order are the same in the next context`() throws {
        let outcomes = try result(
            """
              one: {context: V, steps: {s1: 'order l.items as c, a; save'}}
              two: {context: B, steps: {t1: 'members l.items -> seen', t2: 'read b.list -> left'}}
            after: [t1 requires s1]
            """, observe: "  {seen: value seen, left: value left}"
        ).outcomes.map(\.text)
        #expect(outcomes == ["(seen = [c, a], left = nil)"])
    }

    @Test(arguments: ["sqlite-image", "sqlite", "in-memory"])
    func `a store that a step has removed has no rows`(store: String) throws {
        let outcomes = try looked(
            "s1: remove-store",
            observe: "{s: status s1, lists: count List, n: read List.n}", store: store)
        #expect(outcomes == ["(s = ok, lists = none, n = none)"])
    }

    @Test func `the committed value stays while another value is set`() throws {
        let outcomes = try looked(
            "s1: 'set l.n = 5, l.name = \"new\"; committed l.n -> was; changed l -> keys;"
                + " committed l.items -> members'",
            observe: "{was: value was, keys: value keys, members: value members}")
        #expect(outcomes == ["(was = 1, keys = [n, name], members = 3)"])
    }

    @Test func `reading off the queue is misuse and never ends the process`() throws {
        for look in ["changed l", "committed l.n", "members l.items"] {
            let found = try result(
                "  one: {context: V, steps: {s1: 'read l.n', s2: 'off-queue \(look) -> x'}}",
                observe: "  {x: value x}")
            #expect(found.findings.map(\.name) == ["queue confinement"], "\(look)")
        }
    }

    @Test func `two contexts have two objects with one id`() throws {
        let outcomes = try result(
            """
              one:
                context: V
                steps:
                  s1: same-id l l@B -> same; same-id a b -> other; context-of l@B -> owner
            """, observe: "  {same: value same, other: value other, owner: value owner}"
        ).outcomes.map(\.text)
        #expect(outcomes == ["(same = true, other = false, owner = B)"])
    }

    @Test func `the list of conflicts names object, versions and values`() throws {
        let found = try result(
            """
              one:
                context: V
                steps: {v1: read l.n, v2: set l.n = 7, v3: save, v4: 'conflicts -> why'}
              two: {context: B, steps: {b1: set l.n = 5; save}}
            after: [b1 requires v1, v3 requires b1]
            """, observe: "  {why: value why, status: status v3}")
        #expect(
            Set(found.outcomes.map(\.text)) == [
                "(why = [l is version 1 here and version 2 where it is saved, l.n: read as 1,"
                    + " here 7, saved 5], status = 133020)"
            ])
    }

    @Test func `a save that succeeds has no conflicts`() throws {
        let outcomes = try looked(
            "s1: 'set l.n = 2; save; conflicts -> why'", observe: "{why: value why}")
        #expect(outcomes == ["(why = [])"])
    }

    @Test func `a pinned context reads one state until it is unpinned`() throws {
        let found = try result(
            """
              one:
                context: V
                steps:
                  v1: pin; count List -> before; state is-pinned -> pinned
                  v2: staleness 0; fetch List refreshing realised -> all; read l.n -> during
                  v3: unpin; fetch List refreshing realised -> again; read l.n -> after
              two: {context: B, steps: {b1: set l.n = 5; save}}
            after: [b1 requires v1, v2 requires b1]
            """,
            observe: "  {pinned: value pinned, during: value during, after: value after}",
            store: "sqlite")
        #expect(found.outcomes.map(\.text) == ["(pinned = true, during = 1, after = 5)"])
    }

    @Test func `a store without a log cannot be pinned and says so`() throws {
        let outcomes = try looked("s1: pin", observe: "{s: status s1}")
        #expect(outcomes == ["(s = 134091)"])
    }

    @Test func `a fault without a row is an error if it must not become a deleted object`() throws {
        let steps = """
              one:
                context: V
                steps: {v1: SETTING, v2: read l.n -> n, v3: state l is-deleted -> gone}
              two: {context: B, steps: {b1: delete a; delete b; delete c; delete l; save}}
            after: [b1 requires v1, v2 requires b1]
            """
        let observe = "  {status: status v2, gone: value gone}"
        func outcomes(_ setting: String) throws -> Set<String> {
            Set(
                try result(
                    steps.replacing("SETTING", with: "look-up l@V as k; \(setting)"),
                    observe: observe
                ).outcomes.map(\.text))
        }
        #expect(try outcomes("delete-inaccessible on") == ["(status = ok, gone = true)"])
        #expect(try outcomes("delete-inaccessible off") == ["(status = 134060, gone = false)"])
    }

    @Test func `a repeated statement counts`() throws {
        let outcomes = try looked(
            "s1: 'repeat 12 insert Item with name = \"x\", list = l;"
                + " repeat 3 insert List with n = $i; save; count List where n == 3 -> three'",
            observe: "{items: count Item, lists: count List, three: value three}")
        #expect(outcomes == ["(items = 15, lists = 4, three = 1)"])
    }

    @Test func `a name after IN means all objects of a fetch`() throws {
        let outcomes = try looked(
            "s1: 'fetch Item where name != \"b\" -> some; count Item where SELF IN $some -> in;"
                + " count Item where NOT (SELF IN $some) -> out'",
            observe: "{in: value in, out: value out}")
        #expect(outcomes == ["(in = 2, out = 1)"])
    }
}

@Suite struct LookingMistakeTests {
    @Test(arguments: [
        ("order l.name as a", "'name' is an attribute"),
        ("order a.list as l", "'list' is not an ordered relationship"),
        ("members l.n -> x", "'n' is not a to-many relationship"),
        ("committed a.list.n -> x", "'committed' reads one object"),
        ("repeat 0 save", "the repetitions are not a number from 1 to 1000"),
        ("repeat many save", "the repetitions are not a number from 1 to 1000"),
        ("pin to Q", "unknown context 'Q'"),
        ("delete-inaccessible maybe", "'on' or 'off' is missing"),
        ("same-id l", "the object's name is missing"),
    ])
    func `a mistake is reported with its location`(line: String, problem: String) throws {
        let error = #expect(throws: InputErrors.self) {
            try looked("s1: '\(line)'", observe: "{l: count List}")
        }
        let found = try #require(error).errors
        #expect(found.contains { $0.problem == problem && $0.line == 19 }, "\(found)")
    }

    @Test func `a file that repeats without end is refused before it is expanded`() throws {
        let steps = (1...30).map { "s\($0): repeat 1000 save" }.joined(separator: ", ")
        let error = #expect(throws: InputErrors.self) {
            try looked(steps, observe: "{l: count List}")
        }
        #expect(
            try #require(error).errors.map(\.problem)
                == ["'repeat' creates more than 20000 statements here"])
    }
}

@Suite struct NewestPolicyTests {
    /// Runs two sessions that change the name and also set a number. V saves last.
    private func end(own: Int, others: Int) throws -> [String] {
        try result(
            """
              one:
                context: V
                steps:
                  v1: read l.n
                  v2: policy newest n; set l.n = \(own), l.name = "mine"; save
              two: {context: B, steps: {b1: 'set l.n = \(others), l.name = "theirs"; save'}}
            after: [b1 requires v1, v2 requires b1]
            """, observe: "  {n: read List.n, name: read List.name, status: status v2}"
        ).outcomes.map(\.text)
    }

    @Test func `the side with the larger stamp wins`() throws {
        #expect(try end(own: 9, others: 5) == ["(n = 9, name = mine, status = ok)"])
        #expect(try end(own: 3, others: 5) == ["(n = 5, name = theirs, status = ok)"])
        #expect(try end(own: 5, others: 5) == ["(n = 5, name = theirs, status = ok)"])
    }

    @Test(arguments: [
        ("policy newest", "'newest' needs the property to compare"),
        ("policy newest stamp", "unknown property 'stamp'"),
        ("policy overwrite n", "the policy 'overwrite' takes no argument"),
    ])
    func `a policy's argument is checked`(line: String, problem: String) throws {
        let error = #expect(throws: InputErrors.self) {
            try looked("s1: '\(line)'", observe: "{l: count List}")
        }
        #expect(try #require(error).errors.contains { $0.problem == problem })
    }
}

@Suite struct QuirkTests {
    private func status(_ steps: String, of step: String, quirk: String) throws -> [String] {
        let text = """
            name: played
            about: A misbehaviour that others have reported.
            model: {entities: {A: {attributes: {n: integer64}}}}
            contexts: {V: {}, B: {}, C: {parent: V}}
            quirk: \(quirk)
            setup: [insert A as a with n = 1]
            sessions:
            \(steps)
            observe: {end: status \(step)}
            outcomes: [{grade: acceptable, is: {}, because: Anything.}]

            """
        let result = try withScenario(text) { try suite().run([$0]).scenarios }
        return try #require(result.first).outcomes.map(\.text)
    }

    @Test func `with a quirk, a fault whose row was deleted raises`() throws {
        let steps = """
              one: {context: V, steps: {v1: look-up a@V as k, v2: read a.n}}
              two: {context: B, steps: {b1: delete a; save}}
            after: [b1 requires v1, v2 requires b1]
            """
        #expect(try status(steps, of: "v2", quirk: "none") == ["(end = ok)"])
        #expect(try status(steps, of: "v2", quirk: "deleted-rows-raise") == ["(end = 134060)"])
    }

    @Test func `with a quirk, no object is found by an id that was never saved`() throws {
        let steps =
            "  one: {context: V, steps: {v1: insert A as x; obtain-ids x, v2: object x@V as y}}"
        #expect(try status(steps, of: "v2", quirk: "none") == ["(end = ok)"])
        #expect(try status(steps, of: "v2", quirk: "unsaved-ids-are-lost") == ["(end = 133000)"])
    }
}

@Suite struct WaitingObserverTests {
    @Test func `a block that an observer waits for sees the save that contains it`() throws {
        let found = try result(
            """
              one: {context: B, steps: {b1: set l.n = 5; save}}
              two: {context: V, steps: {v1: read l.n -> before}}
            blocks:
              inside: {context: V, do: merge next from B; read l.n -> seen}
            after: [b1 requires v1]
            """, observe: "  {seen: value seen}", first: "{queue: main}",
            second: "{waits-on-save: inside}")
        #expect(found.outcomes.map(\.text) == ["(seen = 5)"])
        #expect(found.findings.isEmpty)
    }

    @Test func `a block receives a change before the statement ends`() throws {
        let found = try result(
            """
              one: {context: V, steps: {v1: set l.n = 5; process-pending; read l.name -> after}}
            blocks:
              inside: {context: V, do: set l.name = "changed"}
            """, observe: "  {after: value after}", first: "{waits-on-change: inside}")
        #expect(found.outcomes.map(\.text) == ["(after = changed)"])
    }

    @Test func `real threads refuse an observer that waits`() throws {
        let error = #expect(throws: InputErrors.self) {
            try result(
                """
                  one: {context: V, steps: {v1: save}}
                mode: threads
                blocks:
                  inside: {context: B, do: count List}
                """, observe: "  {n: count List}", first: "{waits-on-save: inside}")
        }
        #expect(
            try #require(error).errors.contains {
                $0.problem.hasPrefix("an observer that waits needs a known order")
            })
    }
}
