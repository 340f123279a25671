/// The reference page of the scenario language, built from the parser's tables.
/// `Scenarios/REFERENCE.md` contains this page. A test compares the two.
package enum ReferencePage {
    package static var markdown: String {
        var page = introduction
        page += keySection("The file", ScenarioKeys.root, level: 2)
        for (title, rules) in sections { page += keySection(title, rules, level: 3) }
        page += linesSection + stepsSection + observationSection + policySection
        page += wordsSection + pathsSection + limitsSection
        return page
    }

    private static let introduction = """
        # The scenario language

        This page is generated from the parser's tables. `./faultline schema` prints the same
        rules as a JSON Schema for editors.

        A scenario file is one YAML document in UTF-8. Steps, observations, attributes and
        relationships are one line each. Put a line into quotes if it contains `: ` or ` #`. In a
        list in brackets, a line with a comma needs quotes, too: `['set a.x = 1, a.y = 2']`.
        Names are letters, digits, `-` and `_`, and start with a letter. `$name` is the value of a
        parameter of the matrix.


        """

    private static let sections: [(String, [KeyRule])] = [
        ("`model`", ScenarioKeys.model), ("`model.entities.NAME`", ScenarioKeys.entity),
        ("`store`", ScenarioKeys.store), ("`contexts.NAME`", ScenarioKeys.context),
        ("`sessions.NAME`", ScenarioKeys.session), ("`blocks.NAME`", ScenarioKeys.block),
        ("`explore`", ScenarioKeys.explore), ("`outcomes[]`", ScenarioKeys.outcome),
        ("`cures.NAME`", ScenarioKeys.cure),
    ]

    private static func keySection(_ title: String, _ rules: [KeyRule], level: Int) -> String {
        let rows = rules.map { rule in
            let mark = rule.isRequired ? " *" : ""
            return "| `\(rule.key)`\(mark) | \(words(rule.form)) | \(rule.meaning) |"
        }
        return """
            \(String(repeating: "#", count: level)) \(title)

            | key | value | meaning |
            |---|---|---|
            \(rows.joined(separator: "\n"))


            """
    }

    private static func words(_ form: KeyRule.Form) -> String {
        switch form {
        case .text: "text"
        case .name: "name"
        case .nameOrParameter: "name or `$name`"
        case .word(let words, let parameter):
            words.map { "`\($0)`" }.joined(separator: ", ") + (parameter ? " or `$name`" : "")
        case .flag: "`true`, `false` or `$name`"
        case .number: "number"
        case .scalar: "value"
        case .line(let grammar): "\(grammar) line"
        case .list(let element): "list: \(words(element))"
        case .oneOrMore(let element): "one or a list: \(words(element))"
        case .named(let what, let element):
            "mapping, \(what) to: \(words(element))"
        case .keys: "keys, below"
        case .either(let short, let long): "\(words(short)); or \(words(long))"
        case .pattern: "pattern"
        }
    }

    private static var linesSection: String {
        let types = AttributeType.allCases.map { "| `\($0.rawValue)` | \($0.example) |" }
        return """
            ## Attributes and relationships

            An attribute is `\(PropertyLines.attributeGrammar)`; a relationship is
            `\(PropertyLines.relationshipGrammar)`.
            Properties are optional and relationships nullify unless the line says otherwise.

            | type | a value is written as |
            |---|---|
            \(types.joined(separator: "\n"))


            """
    }

    private static var stepsSection: String {
        let verbs = Verb.allCases.map { verb in
            "| `\(verb.grammar.replacingBars)` | \(verb.meaning) |"
        }
        return """
            ## Steps

            A step is one statement, or several separated by `;` that run without interruption.
            After `if NAME` or `unless NAME` a statement runs only if the name has a value (an
            object, a count above zero, a value that is not nil), or if the step of that name has
            run without an error. After `off-queue` a statement runs without entering the
            context's queue. This is misuse, and the lab reports a finding. After `unchecked` the
            predicate of a statement is not checked in advance; an invalid predicate is misuse when
            the statement runs. `repeat N` precedes all of these words and runs the statement N
            times, at most \(ScenarioLimits.repetitions) times. In the statement, `$i` is the number
            of the repetition, counted from 1.

            | statement | meaning |
            |---|---|
            \(verbs.joined(separator: "\n"))

            A VALUE is a number, `"text"`, `true`, `false`, `nil`, `$parameter`, a bound name,
            `OBJECT.KEY`, or a sum, difference or product of these, with `*` before `+` and `-` and
            without parentheses. Objects of the setup are known in every context; `NAME@CONTEXT` is
            the object with that name in another context. A PREDICATE is in Core Data's format. In
            a predicate, `$name` is an object, a value or a parameter. After `IN`, it is the
            collection of all objects that a fetch has bound.

            Merging a did-save notification into another context is a separate step, whose
            position the schedule determines. The first such step is `~m(B1→V)`, the second is
            `~m(B1→V)#2`. With `merges-from` each pair of
            contexts has its own queue of deliveries, as if an observer dispatched them to another
            queue; with `automerge` the merge waits in the context's queue after earlier blocks. A
            block that a step enqueues is the step `~NAME`.

            Under `after` a step can require such a delivery by the same name: with
            `v2 requires ~m(B1→V)` every schedule of every strategy runs `v2` after that merge,
            in baton mode, too. `#2` is the second delivery of a name. If a delivery never happens,
            because its save failed or had no changes, the step that requires the delivery and the
            steps after it never run. Their status is `never`, and the schedule has the finding
            `step never runs`.


            """
    }

    private static var observationSection: String {
        let forms = ObservationLine.forms.map { "| `\($0.grammar)` | \($0.meaning) |" }
        return """
            ## Observations and outcomes

            | observation | meaning |
            |---|---|
            \(forms.joined(separator: "\n"))

            A pattern is a value, a list of values, `"*"` for any value, `{one-of: […]}` or
            `{not: …}`. An observation that an outcome does not name may have any value. The first
            matching outcome, in the order of the file, decides the grade. The scenario fails if
            an observed outcome matches no outcome of the file or is graded `forbidden`. It also
            fails if no schedule shows a `defect` in a cell to which the `when` of the defect
            applies.


            """
    }

    private static var wordsSection: String {
        let topologies = Topology.allCases.map { "| `\($0.rawValue)` | \($0.meaning) |" }
        let quirks = Quirk.allCases.map { "| `\($0.rawValue)` | \($0.meaning) |" }
        let invariants = Invariant.allCases.map {
            "| `\($0.rawValue)` | \($0.findings.joined(separator: ", ")) |"
        }
        return """

            ## Topologies, quirks and invariants

            | topology | contexts |
            |---|---|
            \(topologies.joined(separator: "\n"))

            | quirk | what is imitated |
            |---|---|
            \(quirks.joined(separator: "\n"))

            | invariant | findings that break it |
            |---|---|
            \(invariants.joined(separator: "\n"))

            """
    }

    private static let pathsSection = """

        ## Paths

        `include`, `model.path` and `copy-of` name files relative to the scenario. The files must
        be below one of these folders, after symbolic links are followed: the scenario's folder, the
        folder named on the command line, the nearest folder `Scenarios` above the scenario, and,
        after `fixtures:`, the fixtures folder. `--allow-outside` removes this limit. The name of an
        included file ends in `.yaml` or `.yml`; only regular files are read.

        SQL in a scenario cannot attach another database or set a pragma about SQLite's files. Its
        values have at most 10 MB, and it ends after 50,000,000 steps of SQLite's virtual machine.
        Its database has at most 25,000 pages, and a temporary file of its statements at most
        64 MB. A pattern of `MATCHES` ends after 10,000,000 steps for one text. A step that
        exceeds a limit fails with an error.

        """

    private static var limitsSection: String {
        let rows = ScenarioLimits.table.map { "| \($0.what) | \(thousands($0.most)) |" }
        return """

            ## Limits

            A file that exceeds a limit is refused before it is decoded.

            | what | at most |
            |---|---|
            \(rows.joined(separator: "\n"))

            """
    }

    private static func thousands(_ number: Int) -> String {
        let digits = String(number)
        return digits.enumerated().map { index, digit in
            let left = digits.count - index
            return left % 3 == 0 && index > 0 ? ",\(digit)" : String(digit)
        }.joined()
    }

    private static var policySection: String {
        """
        ## Merge policies

        | policy | what happens to a conflict |
        |---|---|
        | `error` | the save fails with error 133020, or 133021 for a constraint conflict |
        | `storeTrump` | merged by property; if both sides changed it, the store's value is kept |
        | `objectTrump` | merged by property; if both sides changed it, the object's value is kept |
        | `overwrite` | all values of the object are written |
        | `rollback` | the object's changes are discarded |
        | `recount ENTITY.KEY from RELATIONSHIP` | as `objectTrump`; then KEY is set to the count |
        | `newest KEY` | the side whose KEY is larger wins: as `objectTrump`, or as `storeTrump` |
        | `backfill-nils` | as `objectTrump`, but nils of a new object first take the row's values |
        | `backfill-peers` | as `backfill-nils`, also between equal objects of one context |

        A custom policy is registered in Swift, in a test target that depends on the product
        `LabCommands`. The command then runs inside the test product:

        ```swift
        import LabCommands
        import LabRunner
        import Testing

        @Test func faultlineCommandLine() {
            var policies = PolicyRegistry()
            policies.register("mine") { argument in MyPolicy(argument) }
            LabCommandLine.answer(policies)
        }
        ```

        `./faultline explore FILE --tests .build/debug/MyPackageTests.xctest` uses these policies,
        and so do `run`, `replay`, `shrink`, `step`, `diff`, `matrix`, `lint` and `bless`.

        """
    }
}

extension String {
    /// Escapes vertical bars, because a vertical bar would end the table cell.
    fileprivate var replacingBars: String {
        split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
