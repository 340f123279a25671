import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct DiffCommandTests {
    /// Two sessions raise one balance. A cure keeps both raises.
    private static let cured = """
        name: raises
        about: Both raises count.
        model: {entities: {Account: {attributes: {balance: integer64 default 0}}}}
        matrix: {policy: [error, objectTrump]}
        contexts: {A: {policy: $policy}, B: {policy: $policy}}
        setup: [insert Account as a with balance = 10]
        sessions:
          one: {context: A, steps: {a1: set a.balance = a.balance + 5, a2: save}}
          two: {context: B, steps: {b1: set a.balance = a.balance + 7, b2: save}}
        observe: {balance: read Account.balance}
        outcomes:
          - {grade: acceptable, is: {balance: "*"}, because: anything may be}
        cures:
          in-turn:
            about: One after the other.
            after: [b1 requires a2]
            outcomes:
              - {grade: acceptable, is: {balance: 22}, because: both count}

        """

    @Test func `cells of a scenario with cures are compared, including those of the cures`() throws
    {
        let scratch = try Scratch()
        let file = try scratch.write(Self.cured, to: "raises.yaml")
        let whole = try Tool.run("diff", file, "--cells", "policy=error", "policy=objectTrump")
        #expect(whole.status == 1, "\(whole.complaint)")
        #expect(whole.output.contains("new finding: lost update"))
        #expect(whole.output.hasSuffix("1 of 2 scenarios differs\n"), "\(whole.output)")
        let cure = try Tool.run(
            "diff", file, "--cells", "+in-turn:policy=error", "+in-turn:policy=objectTrump")
        #expect(cure.status == 0, "\(cure.complaint)")
        let effect = try Tool.run(
            "diff", file, "--cells", "policy=objectTrump", "+in-turn:policy=objectTrump")
        #expect(effect.status == 1)
        #expect(effect.output.contains("no longer found: lost update"), "\(effect.output)")
        let wrong = try Tool.run("diff", file, "--cells", "policy=error", "+in-turn")
        #expect(wrong.status == 2)
        #expect(
            wrong.complaint.contains(
                "no cell is named '+in-turn'; write one of policy=error policy=objectTrump"
                    + " +in-turn:policy=error +in-turn:policy=objectTrump"), "\(wrong.complaint)")
    }

    private static let bug = "Scenarios/policies/mb-09-denormalised-count.yaml"
    private static let tour = "Scenarios/tour-two-sessions.yaml"

    @Test func `two policies of one scenario differ at the save that one of them refuses`() throws {
        let result = try Tool.run(
            "diff", Self.bug, "--cells", "policy=error", "policy=storeTrump")
        #expect(result.status == 1)
        #expect(result.output.contains("before  policy=error\nafter   policy=storeTrump\n"))
        #expect(
            result.output.contains(
                "f1 f2 s1 f3 s2 s3: first difference at s3\n    − save  → error 133020"))
        #expect(result.output.contains("new finding: lost update in s3"))
        #expect(result.output.hasSuffix("1 of 1 scenario differs\n"))
        let wrong = try Tool.run("diff", Self.bug, "--cells", "policy=error", "policy=none")
        #expect(wrong.status == 2)
        #expect(wrong.complaint.contains("no cell is named 'policy=none'; write one of policy="))
    }

    @Test func `two runs of one scenario do not differ, and two scenarios cannot be compared`()
        throws
    {
        let scratch = try Scratch()
        let (one, other) = (scratch.path("one.json"), scratch.path("other.json"))
        for file in [one, other] {
            #expect(try Tool.run("explore", Self.tour, "--save", file).status == 0)
        }
        let same = try Tool.run("diff", one, other)
        #expect(same.status == 0)
        #expect(same.output.contains("no difference in"))
        _ = try Tool.run("explore", Self.bug, "--save", other)
        let alone = try Tool.run("diff", one, other, "--format", "markdown")
        #expect(alone.status == 3)
        #expect(alone.output.contains("- only in"))
        #expect(try Tool.run("diff", one).status == 64)
    }
}
