import Foundation
import TestSupport
import Testing

private enum Files {
    /// Two writers raise one balance. Some of the 20 interleavings lose a raise under the policy of
    /// the file.
    static func raises(grade: String = "defect", policy: String = "objectTrump") -> String {
        """
        name: two-raises
        about: Two writers that raise one balance both count.
        model: {entities: {Account: {attributes: {balance: integer64 required default 0}}}}
        contexts: {B1: {policy: \(policy)}, B2: {policy: \(policy)}}
        setup: [insert Account as a with balance = 10]
        sessions:
          one: {context: B1,steps: {r1: read a.balance,w1: set a.balance = a.balance + 5, s1: save}}
          two: {context: B2,steps: {r2: read a.balance,w2: set a.balance = a.balance + 7, s2: save}}
        observe: {balance: read Account.balance}
        outcomes:
          - {grade: acceptable, is: {balance: 22}, because: one read what the other saved}
          - {grade: \(grade), is: {balance: {not: 22}}, because: one raise is gone}

        """
    }
}

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct ScenarioCommandTests {
    @Test func `a scenario whose outcomes are as expected exits with 0`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(Files.raises(), to: "raises.yaml")
        let result = try Tool.run("run", file)
        #expect(result.status == 0)
        #expect(result.output.contains("1 passed · 1 file · 20 schedules"))
        #expect(result.complaint.isEmpty, "nothing but results in a pipe")
    }

    @Test func `a forbidden outcome exits with 1 and a command to replay it`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(Files.raises(grade: "forbidden"), to: "raises.yaml")
        let result = try Tool.run("run", file)
        #expect(result.status == 1)
        #expect(result.output.contains("failed \(file)"))
        #expect(result.output.contains("./faultline replay 'lab1:two-raises@"))
    }

    @Test func `exploring counts every interleaving, and the outcomes add up`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(Files.raises(), to: "raises.yaml")
        let result = try Tool.run("explore", file)
        #expect(result.status == 0)
        #expect(result.output.contains("predicted 20, explored 20 (exhaustive)"))
        #expect(result.output.contains("     20              all"))
    }

    @Test func `replaying a token gives the same bytes twice`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(Files.raises(), to: "raises.yaml")
        let explored = try Tool.run("explore", file, "--format", "json").output
        let token = try #require(
            explored.split(separator: "\"").first { $0.hasPrefix("lab1:") && $0.contains("w2") })
        let first = try Tool.run("replay", String(token), "--in", file)
        let second = try Tool.run("replay", String(token), "--in", file)
        #expect(first.status == 0)
        #expect(first.output == second.output)
        let twice = try Tool.run("replay", String(token), "--in", file, "--twice").output
        #expect(twice == first.output + first.output)
    }

    @Test(arguments: ["text", "markdown", "json", "junit"])
    func `every format of a run names the scenario`(format: String) throws {
        let scratch = try Scratch()
        let file = try scratch.write(Files.raises(), to: "raises.yaml")
        let result = try Tool.run("run", file, "--format", format)
        #expect(result.status == 0)
        #expect(result.output.contains("two-raises"))
    }

    @Test(arguments: [
        ("an unknown key", "setup:", "setups:", 5),
        ("an unknown verb", "w1: set", "w1: sett", 7),
        ("an unknown entity", "insert Account", "insert Acount", 5),
        ("an unknown attribute", "r1: read a.balance", "r1: read a.balanse", 7),
        ("an unknown context", "context: B2", "context: B3", 8),
        ("an unknown policy", "policy: objectTrump}, B2", "policy: objektTrump}, B2", 4),
        ("an unknown grade", "grade: acceptable", "grade: fine", 11),
        (
            "an unparsable predicate", "read Account.balance}",
            "'count Account where balance ='}", 9
        ),
    ])
    func `bad input exits with 2, its line and column, and a remedy`(
        what: String, good: String, bad: String, line: Int
    ) throws {
        let scratch = try Scratch()
        let text = Files.raises()
        try #require(text.contains(good))
        let changed = text.replacing(good, with: bad, maxReplacements: 1)
        let file = try scratch.write(changed, to: "bad.yaml")
        let result = try Tool.run("run", file)
        #expect(result.status == 2, "\(what)")
        #expect(result.output.isEmpty)
        let first = result.complaint.split(separator: "\n").first ?? ""
        #expect(first.hasPrefix("\(file):\(line):"), "\(what): \(first)")
        #expect(first.contains("; "), "\(what): \(first)")
        let column = first.dropFirst("\(file):\(line):".count).prefix { $0.isNumber }
        #expect(Int(column) ?? 0 > 0, "\(what): \(first)")
    }

    @Test(arguments: ["", "\u{0}\u{1}\u{2}", "just text", "- a list", "{"])
    func `a file that is not a scenario exits with 2`(text: String) throws {
        let scratch = try Scratch()
        let file = try scratch.write(text, to: "bad.yaml")
        let result = try Tool.run("run", file)
        #expect(result.status == 2)
        #expect(result.complaint.hasPrefix(file + ":"))
    }

    @Test func `a path that does not exist exits with 2`() throws {
        let result = try Tool.run("run", "no-such-folder")
        #expect(result.status == 2)
        #expect(result.complaint.hasPrefix("no-such-folder: "))
    }

    @Test func `a text that is not a token exits with 2`() throws {
        let result = try Tool.run("replay", "nonsense")
        #expect(result.status == 2)
        #expect(result.complaint.contains("; "))
    }

    @Test func `a matrix is compared with its table of expectations`() throws {
        let scratch = try Scratch()
        let text = Files.raises(policy: "$policy")
            .replacing("name: two-raises", with: "name: two-raises\nbug: MB-99")
            .replacing(
                "setup:",
                with:
                    "matrix: {policy: [error, storeTrump, objectTrump, overwrite, rollback]}"
                    + "\nsetup:"
            )
        let file = try scratch.write(text, to: "raises.yaml")
        let table = scratch.path("matrix.md")
        let missing = try Tool.run("matrix", file, "--expect", table)
        #expect(missing.status == 2)
        let blessed = try Tool.run("matrix", file, "--expect", table, "--bless")
        #expect(blessed.status == 0)
        #expect(blessed.output.contains("MB-99"))
        #expect(try Tool.run("matrix", file, "--expect", table).status == 0)
        let written = try String(contentsOfFile: table, encoding: .utf8)
        #expect(written.contains("silently lost"))
        let changed = written.replacing("silently lost", with: "correct", maxReplacements: 1)
        _ = try scratch.write(changed, to: "matrix.md")
        let different = try Tool.run("matrix", file, "--expect", table)
        #expect(different.status == 1)
        #expect(different.complaint.contains("MB-99 under "))
    }

    @Test func `the scenario in the readme has the described result`() throws {
        let readme = try String(
            contentsOf: Tool.root.appendingPathComponent("README.md"), encoding: .utf8)
        let block = try #require(readme.split(separator: "```yaml\n").last)
        let text = try #require(block.split(separator: "```").first)
        let scratch = try Scratch()
        let file = try scratch.write(String(text), to: "two-raises.yaml")
        let result = try Tool.run("explore", file)
        #expect(result.status == 0)
        #expect(result.output.contains("predicted 20, explored 20"))
    }
}
