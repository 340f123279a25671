import LabScenario
import Testing

/// Tests of words from other languages, which authors may write out of habit. The message must
/// suggest a correct line.
@Suite struct WordTests {
    private func answer(_ step: String) -> String {
        messages(example(replacing: "t1: read a.owner.name", with: "t1: \(step)"))
            .joined(separator: "\n")
    }

    @Test func `a property is added to, subtracted from and multiplied in place`() throws {
        for sign in ["+=", "-=", "*="] {
            #expect(answer("set a.balance \(sign) 5, a.name = \"z\"").isEmpty)
        }
        #expect(answer("set a.balance=a.balance*2+1").isEmpty)
    }

    @Test(arguments: [
        ("set a.balance = a.balance / 2", "35:37: '/' is not an operator; values can be added,"),
        ("set a.balance = (a.balance + 1)", "35:27: values have no parentheses; compute the part"),
        (
            "set a.name = 'x y'",
            "35:24: text needs double quotes; write \"x y\" — set OBJECT.KEY =|+=|-=|*= VALUE,"
        ),
        (
            "if a.balance > 3 save",
            "35:14: a condition is one name, without a comparison or a path;"
                + " count the rows first: 'count ENTITY where balance > 3 -> found;"
                + " if found STATEMENT'"
        ),
        (
            "unless a.owner save",
            "35:18: a condition is one name, without a comparison or a path;"
                + " read the value first: 'read a.owner -> seen; unless seen STATEMENT'"
        ),
        ("if a then save", "35:16: unknown verb 'then'; leave it out, as in 'if NAME STATEMENT'"),
        ("else save", "35:11: unknown verb 'else'; write another statement, 'unless NAME"),
    ])
    func `a word of another language is refused with the line to write`(
        step: String, expected: String
    ) {
        #expect(answer(step).hasPrefix("bad.yaml:\(expected)"), "\(answer(step))")
    }

    @Test(arguments: [
        ("NSErrorMergePolicy", "error"), ("NSMergeByPropertyStoreTrumpMergePolicy", "storeTrump"),
        ("NSMergeByPropertyObjectTrumpMergePolicy", "objectTrump"),
        ("NSMergePolicy.mergeByPropertyObjectTrump", "objectTrump"),
        (".mergeByPropertyStoreTrump", "storeTrump"), ("NSOverwriteMergePolicy", "overwrite"),
        ("overwriteMergePolicyType", "overwrite"), ("NSRollbackMergePolicy", "rollback"),
    ])
    func `Core Data's name of a policy is refused with ours`(name: String, own: String) {
        #expect(
            messages(example(replacing: "B1: {policy: $policy}", with: "B1: {policy: \(name)}"))
                .first == "bad.yaml:18:16: '\(name)' is Core Data's name of the policy '\(own)';"
                + " write '\(own)'")
        if !name.hasPrefix(".") {
            #expect(answer("policy \(name)").contains("the policy '\(own)'; write '\(own)'"))
        }
    }

    private let rule =
        "a comma divides values in brackets: put a line with a comma into quotes, as in"
        + " ['set a.x = 1, a.y = 2']"

    @Test func `a comma in brackets that splits a line is reported`() {
        let list = messages(
            example(
                replacing: """
                    setup:
                      - insert Person as p with name = "x"
                      - insert Account as a with balance = 10, owner = p
                    """,
                with: "setup: [insert Person as p, insert Account as a with balance = 1, owner = p]"
            ))
        #expect(list.contains { $0.contains("unknown verb 'owner'") && $0.hasSuffix(rule) })
        let mapping = messages(
            example(
                replacing: "steps:\n      t1: read a.owner.name",
                with: "steps: {t1: set a.balance = 1, a.name = \"q\", t2: save}"))
        #expect(mapping == ["bad.yaml:34:36: 'a.name = \"q\"' cannot name a step; \(rule)"])
        let other = messages(
            example(
                replacing: "steps:\n      t1: read a.owner.name",
                with: "steps: {t1: savee, t2: save}"))
        #expect(other == ["bad.yaml:34:17: unknown verb 'savee'; did you mean 'save'?"])
    }

    // MARK: Cures

    private func cured(_ lines: String) -> [String] {
        messages(example() + "\ncures:\n  calm:\n    about: It is calm.\n\(lines)")
    }

    private let outcomes = "    outcomes: [{grade: acceptable, is: serial, because: It is.}]\n"

    @Test func `a mistake in a cure is reported at its line with the cure's name`() {
        let found = cured(
            "    sessions: {two: {steps: {t1: read a.owner.nome}}}\n" + outcomes)
        #expect(
            found == [
                "bad.yaml:47:47: in the cure 'calm': 'Person' has no property 'nome';"
                    + " did you mean 'name'?"
            ])
        let unread = cured("    sessions: {two: {steps: {t1: savee}}}\n" + outcomes)
        #expect(
            unread == [
                "bad.yaml:47:34: in the cure 'calm': unknown verb 'savee'; did you mean 'save'?"
            ])
    }

    @Test func `a mistake that a cure causes in the scenario is reported at the cure`() throws {
        let found = cured("    sessions: {one: {steps: {s1: save}}}\n" + outcomes)
        #expect(found.count == 1)
        let message = try #require(found.first)
        #expect(
            message.hasPrefix(
                "bad.yaml:45:3: with the cure 'calm', line 38 is wrong: unknown step 's3'"))
        #expect(message.hasSuffix("change the cure, which replaces whole sessions and lists"))
    }

    @Test func `a mistake of the scenario itself is reported once, without its cures`() {
        let text = example(replacing: "t1: read a.owner.name", with: "t1: read a.owner.nome")
        let found = messages(text + "\ncures:\n  calm:\n    about: It is calm.\n" + outcomes)
        #expect(found.count == 1)
        #expect(found.allSatisfy { !$0.contains("cure") })
    }
}
