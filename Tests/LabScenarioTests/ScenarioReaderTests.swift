import Foundation
import LabScenario
import Testing

@Suite struct ScenarioReaderTests {
    @Test func `a file becomes contexts, steps, observations and outcomes`() throws {
        let scenario = try read(example())
        #expect(scenario.name == "example")
        #expect(scenario.contexts.map(\.name.value) == ["B1", "V"])
        #expect(
            scenario.sessions.map { $0.steps.map(\.name.value) } == [["s1", "s2", "s3"], ["t1"]])
        #expect(scenario.sessions[0].steps[1].statements.count == 2)
        #expect(scenario.cells.map(\.description) == ["policy=error", "policy=objectTrump"])
        #expect(scenario.outcomes[0].counts(in: scenario.cells[0]))
        #expect(!scenario.outcomes[0].counts(in: scenario.cells[1]))
        #expect(scenario.hash.count == 8)
        guard
            case .list(.fetch(let query, let name)) =
                scenario.sessions[0].steps[0].statements[0].action
        else {
            Issue.record("the first step is no fetch")
            return
        }
        #expect(query.predicate?.format == "balance > 5")
        #expect(query.sort.map(\.keyPath.value) == ["name"])
        #expect(name?.value == "found")
    }

    @Test func `every part of a file knows its line and column`() throws {
        let scenario = try read(example())
        let step = scenario.sessions[0].steps[1]
        #expect(step.name.position == SourcePosition(line: 30, column: 7))
        #expect(step.statements[1].position == SourcePosition(line: 30, column: 50))
        guard
            case .list(.fetch(let query, _)) =
                scenario.sessions[0].steps[0].statements[0].action
        else {
            return
        }
        // The position of the 5 in `balance > 5`. The predicate parser reports the error.
        #expect(query.predicate?.position(of: 10) == SourcePosition(line: 29, column: 41))
    }

    @Test func `columns are right behind quotes and escapes`() throws {
        let quoted = example(
            replacing: #"set a.name = "y""#, with: #"set a.nome = "y""#
        ).replacingOccurrences(
            of: "s2: set found.balance = found.balance + 5; set a.nome = \"y\"",
            with: #"s2: "set found.name = \"q\"; set a.nome = \"y\"""#)
        #expect(
            messages(quoted) == [
                "bad.yaml:30:42: 'Account' has no property 'nome'; did you mean 'name'?"
            ])
    }

    @Test func `a cure replaces what it names and keeps the rest`() throws {
        let scenario = try read(
            example() + """

                cures:
                  calm:
                    about: The policy keeps both.
                    contexts:
                      B1: {policy: objectTrump}
                    sessions:
                      two:
                        steps:
                          t1: refresh a keep
                          t2: read a.balance
                    outcomes:
                      - grade: acceptable
                        is: {balance: 15}
                        because: It adds up.
                """)
        let cure = try #require(scenario.cures.first)
        #expect(cure.fullName == "example+calm")
        #expect(cure.matrix.isEmpty)
        #expect(cure.contexts.map(\.name.value) == ["B1", "V"])
        #expect(cure.sessions[1].context.value == "V")
        #expect(cure.sessions[1].steps.map(\.text) == ["refresh a keep", "read a.balance"])
        #expect(cure.sessions[0].steps.count == 3)
    }

    private static func cure(_ policy: String) -> String {
        """

        cures:
          calm:
            about: The policy keeps both.
            contexts:
              B1: {policy: \(policy)}
            outcomes:
              - {grade: acceptable, is: {balance: 15}, because: It adds up.}
        """
    }

    @Test func `a cure may use any parameter of the file, and no other`() {
        #expect(
            messages(example() + Self.cure("$plicy")) == [
                "bad.yaml:48:20: in the cure 'calm': unknown parameter 'plicy'; did you mean"
                    + " 'policy'?"
            ])
    }

    @Test func `a parameter that only a cure uses belongs to the cure's matrix`() throws {
        let text = example(replacing: "{policy: $policy}", with: "{policy: error}")
            .replacing("    when: {policy: error}\n", with: "")
        let scenario = try read(text + Self.cure("$policy"))
        #expect(scenario.matrix.isEmpty)
        #expect(scenario.cures.map { $0.cells.count } == [2])
        #expect(messages(text).contains { $0.contains("the parameter 'policy' is never used") })
    }

    @Test func `an outcome cannot depend on a parameter that only a cure uses`() {
        let text = example(replacing: "{policy: $policy}", with: "{policy: error}")
        #expect(
            messages(text + Self.cure("$policy")).contains {
                $0.contains("the parameter 'policy', which the scenario does not use")
            })
    }

    @Test func `an empty file, bytes that are no text and broken YAML have a position`() {
        #expect(
            messages("") == [
                "bad.yaml:1:1: the file is empty; "
                    + "start it with 'name:', 'about:', 'model:' and 'sessions:'"
            ])
        #expect(
            messages("# only a comment\n").first?.hasPrefix("bad.yaml:1:1: the file is empty")
                == true)
        let problems = #expect(throws: ScenarioProblems.self) {
            try ScenarioReader().read(
                Array("name: x\nabout: ".utf8) + [0xFF, 0xFE], file: "bad.yaml")
        }
        #expect(
            problems?.description
                == "bad.yaml:2:8: the file is not UTF-8 text; "
                + "save the file as UTF-8, or name a scenario file"
        )
        #expect(
            messages("name: a\n  about: b\n").first?.hasPrefix("bad.yaml:2:8: this is not YAML")
                == true)
        #expect(messages("a: 1\na: 2\n").first?.contains("the key 'a' appears here twice") == true)
        #expect(messages("a: [1\n").first?.contains("this is not YAML") == true)
        #expect(messages("a: 1\n---\nb: 2\n").first?.hasPrefix("bad.yaml:3:") == true)
    }

    @Test(arguments: [
        (
            "name: example", "nmae: example",
            "1:1: unknown key 'nmae' in the scenario; did you mean 'name'?"
        ),
        (
            "B1: {policy: $policy}", "B1: {policy: $plicy}",
            "18:16: unknown parameter 'plicy'; did you mean 'policy'?"
        ),
        (
            "[error, objectTrump]", "[error, objectTrmp]",
            "21:19: unknown policy 'objectTrmp'; did you mean 'objectTrump'?"
        ),
        (
            "automerge: true", "merges-from: [$plicy]",
            "19:34: unknown parameter 'plicy'; did you mean 'policy'?"
        ),
        (
            "automerge: true", "merges-from: $policy",
            "21:12: unknown context 'error'; write one of 'B1', 'V'"
        ),
        (
            "automerge: true", "merges-from: $",
            "19:33: 'merges-from' is '$'; write a name of letters, digits, '-' and '_' that starts"
                + " with a letter, or '$' and the name of a parameter"
        ),
        ("queue: main", "queue: mian", "19:14: 'queue' is 'mian'; did you mean 'main'?"),
        ("s3: save", "s3: svae", "31:11: unknown verb 'svae'; did you mean 'save'?"),
        (
            "fetch Account", "fetch Acount",
            "29:17: unknown entity 'Acount'; did you mean 'Account'?"
        ),
        (
            "read a.owner.name", "read a.owner.nam",
            "35:24: 'Person' has no property 'nam'; did you mean 'name'?"
        ),
        (
            "read a.owner.name", "read b.owner.name",
            "35:16: nothing is named 'b' here; write one of 'a', 'p'"
        ),
        (
            "read a.owner.name", "read found.name",
            "35:16: nothing is named 'found' here; write one of 'a', 'p'"
        ),
        (
            "balance = 10", "balance = \"ten\"",
            "24:40: \"ten\" does not fit 'balance', whose type is integer64; "
                + "write a whole number such as 12"
        ),
        (
            "owner = p", "owner = 12",
            "24:52: 'owner' is a relationship; name an object, or write nil"
        ),
        (
            "name: string\n        balance", "name: strin\n        balance",
            "7:15: unknown attribute type 'strin'; did you mean 'string'?"
        ),
        (
            "inverse owner cascade", "inverse ovner cascade",
            "16:40: 'Account' has no relationship 'ovner'; did you mean 'owner'?"
        ),
        ("context: V", "context: U", "33:14: unknown context 'U'; write one of 'B1', 'V'"),
        ("status s3", "status s9", "38:17: unknown step 's9'; write one of 's1', 's2', 's3', 't1'"),
        (
            "{balance: 15, saved: ok}", "{balanse: 15}",
            "41:10: unknown observation 'balanse'; did you mean 'balance'?"
        ),
        (
            "grade: acceptable", "grade: fine",
            "40:12: 'grade' is 'fine'; "
                + "write one of 'acceptable', 'interesting', 'forbidden', 'defect'"
        ),
        (
            "when: {policy: error}", "when: {policy: eror}",
            "42:20: unknown value of 'policy' 'eror'; did you mean 'error'?"
        ),
        (
            "t1: read a.owner.name", "s1: read a.owner.name",
            "35:7: two steps are named 's1'; "
                + "give each step a unique name, because schedules refer to steps by name"
        ),
        ("because: It adds up.", "because:", "43:13: 'because' is empty; write a line of text"),
        ("automerge: true", "automerge: yes", "19:31: 'automerge' is 'yes'; write true or false"),
        (
            "sessions:", "sessions: []\nx:",
            "25:11: 'sessions' is a list; write a mapping, 'NAME: …' for a session"
        ),
    ])
    func `a wrong word is named with its place and with what to write instead`(
        old: String, new: String, expected: String
    ) {
        let found = messages(example(replacing: old, with: new))
        #expect(found.contains("bad.yaml:" + expected), "\(found)")
    }

    @Test(arguments: [
        ("s3: save", "s3: save now", "31:16: unexpected text follows the statement"),
        ("s3: save", "s3: set a.balance", "31:24: '=' is missing"),
        ("s3: save", "s3: refresh a", "31:20: 'keep' or 'discard' is missing"),
        ("s3: save", "s3: merge from V", "31:17: 'next', 'all', 'newest' or 'again' is missing"),
        ("s3: save", "s3: set a.name = \"open", "31:24: the text is not closed"),
        ("s3: save", "s3: relate a.name to p", "31:20: 'name' is an attribute"),
        (
            "s3: save", "s3: relate p.accounts to p",
            "31:32: this is a 'Person', but 'accounts' holds 'Account'"
        ),
        ("s3: save", "s3: set p.accounts = a", "31:28: 'accounts' has many members"),
        ("s3: save", "s3: fetch Account where limit 1", "31:31: the predicate is missing"),
        ("s3: save", "s3: enqueue nothing", "31:19: unknown block 'nothing'"),
        ("s3: save", "s3: merge all from B1", "31:26: 'B1' merges from itself"),
        ("s3: save", "s3: batch-insert Account", "31:31: the batch writes nothing"),
        ("s3: save", "s3: batch-delete Account limit 1", "31:24: a batch allows no sort keys"),
        ("s3: save", "s3: batch-update Account with nme = 1", "31:37: 'Account' has no property"),
        (
            "s3: save", "s3: migrate unique Account.name",
            "31:11: a migration needs a store in a file"
        ),
    ])
    func `a statement that is not understood says where`(old: String, new: String, expected: String)
    {
        let found = messages(example(replacing: old, with: new))
        #expect(found.contains { $0.hasPrefix("bad.yaml:" + expected) }, "\(found)")
    }

    @Test func `a defect in a cure is refused`() {
        let text =
            example() + """

                cures:
                  none:
                    about: Nothing is different.
                    outcomes:
                      - {grade: defect, is: serial, because: It is not cured.}
                """
        #expect(
            messages(text) == [
                "bad.yaml:48:9: in the cure 'none': a cure has a defect; "
                    + "grade the outcome as forbidden, because a cure must prevent the defect"
            ])
    }

    @Test func `a predicate keeps its quotes, and its variables are found outside them`() throws {
        let scenario = try read(
            example(
                replacing: "fetch Account where balance > 5 sort name -> found",
                with: "fetch Account where name == \"sort $x -> \" AND owner == $p limit 2 -> found"
            ))
        guard
            case .list(.fetch(let query, _)) =
                scenario.sessions[0].steps[0].statements[0].action
        else {
            return
        }
        #expect(query.predicate?.format == "name == \"sort $x -> \" AND owner == $p")
        #expect(query.predicate?.variables.map(\.value) == ["p"])
        #expect(query.limit == 2)
    }

    @Test func `the variable that a subquery declares is its own`() throws {
        let scenario = try read(
            example(
                replacing: "fetch Account where balance > 5 sort name -> found",
                with: "fetch Person where SUBQUERY(accounts, $z, $z == $a).@count > 0 -> found"
            ).replacingOccurrences(
                of: "set found.balance = found.balance + 5; ", with: ""))
        guard
            case .list(.fetch(let query, _)) =
                scenario.sessions[0].steps[0].statements[0].action
        else { return }
        #expect(query.predicate?.variables.map(\.value) == ["a"])
    }

    @Test func `an alias that unfolds without end is refused`() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...7 {
            let references = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(references)]\n"
        }
        #expect(messages(text).first?.contains("unfolds to more than") == true)
    }
}

@Suite struct CatalogueTests {
    @Test(arguments: catalogue)
    func `every file of the catalogue can be read`(file: URL) throws {
        let scenario = try ScenarioReader().read(
            [UInt8](Data(contentsOf: file)), file: file.path)
        #expect(!scenario.outcomes.isEmpty)
        #expect(scenario.name == file.deletingPathExtension().lastPathComponent)
        #expect(scenario.refs.allSatisfy { $0.value.hasPrefix("http") })
    }

    @Test func `the reference page is what the tables say`() throws {
        let file = scenariosFolder.appendingPathComponent("REFERENCE.md")
        if ProcessInfo.processInfo.environment["FAULTLINE_REFRESH"] != nil {
            try ReferencePage.markdown.write(to: file, atomically: true, encoding: .utf8)
        }
        let page = try String(contentsOf: file, encoding: .utf8)
        #expect(page == ReferencePage.markdown, "run this test with FAULTLINE_REFRESH=1")
    }

    @Test func `the schema is JSON and knows every key of the tables`() throws {
        let schema = try JSONSerialization.jsonObject(with: Data(ScenarioSchema.json.utf8))
        let properties = (schema as? [String: Any])?["properties"] as? [String: Any]
        #expect(Set(properties?.keys.map { $0 } ?? []) == Set(ScenarioKeys.root.map(\.key)))
        #expect(ScenarioSchema.json == ScenarioSchema.json)
    }

    @Test func `the published schema is what the tables say`() throws {
        let file = scenariosFolder.appendingPathComponent("scenario.schema.json")
        if ProcessInfo.processInfo.environment["FAULTLINE_REFRESH"] != nil {
            try ScenarioSchema.json.write(to: file, atomically: true, encoding: .utf8)
        }
        let published = try String(contentsOf: file, encoding: .utf8)
        #expect(published == ScenarioSchema.json, "run this test with FAULTLINE_REFRESH=1")
    }

    @Test(arguments: Verb.allCases)
    func `the reference page has every verb`(verb: Verb) {
        #expect(ReferencePage.markdown.contains("`\(verb.rawValue)"))
    }
}
