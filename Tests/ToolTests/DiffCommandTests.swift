import Foundation
import Testing

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct DiffCommandTests {
    private static let bug = "Scenarios/policies/mb-09-denormalised-count.yaml"

    @Test func `two policies of one scenario part at the save that one of them refuses`() throws {
        let result = try Tool.run(
            "diff", Self.bug, "--cells", "policy=error", "policy=storeTrump")
        #expect(result.status == 1)
        #expect(result.output.contains("before  policy=error\nafter   policy=storeTrump\n"))
        #expect(result.output.contains("f1 f2 s1 f3 s2 s3 parts at s3\n    − save  → error 133020"))
        #expect(result.output.contains("new finding: lost update in s3"))
        #expect(result.output.hasSuffix("1 of 1 scenario differs\n"))
        let wrong = try Tool.run("diff", Self.bug, "--cells", "policy=error", "policy=none")
        #expect(wrong.status == 2)
        #expect(wrong.complaint.contains("there is no cell 'policy=none'; write one of policy="))
    }

    @Test func `two runs of one scenario do not differ, and two scenarios cannot be compared`()
        throws
    {
        let scratch = try Scratch()
        let (one, other) = (scratch.path("one.json"), scratch.path("other.json"))
        for file in [one, other] {
            #expect(try Tool.run("explore", "Scenarios/tour.yaml", "--save", file).status == 0)
        }
        let same = try Tool.run("diff", one, other)
        #expect(same.status == 0)
        #expect(same.output.contains("no difference in"))
        _ = try Tool.run("explore", "Scenarios/tour-two-sessions.yaml", "--save", other)
        let alone = try Tool.run("diff", one, other, "--format", "markdown")
        #expect(alone.status == 3)
        #expect(alone.output.contains("- only in"))
        #expect(try Tool.run("diff", one).status == 64)
    }
}
