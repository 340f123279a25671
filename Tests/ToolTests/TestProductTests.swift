import CoreData
import CoreDataEngine
import Foundation
import LabCommands
import LabRunner
import TestSupport
import Testing

/// `--tests` calls this entry point in a test product. It registers a custom policy.
@Test func faultlineCommandLine() {
    var policies = PolicyRegistry()
    policies.register("mine") { argument in
        argument == "theirs" ? .mergeByPropertyStoreTrump : .mergeByPropertyObjectTrump
    }
    if ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == "1" {
        policies.register("hashed") { _ in .error }
    }
    LabCommandLine.answer(policies)
}

private func raises(policy: String) -> String {
    """
    name: two-raises
    about: Two writers that raise one balance both count.
    model: {entities: {Account: {attributes: {balance: integer64 default 0}}}}
    contexts: {B1: {policy: \(policy)}, B2: {policy: \(policy)}}
    setup: [insert Account as a with balance = 10]
    sessions:
      one: {context: B1, steps: {r1: read a.balance, w1: set a.balance = a.balance + 5, s1: save}}
      two: {context: B2, steps: {r2: read a.balance, w2: set a.balance = a.balance + 7, s2: save}}
    observe: {balance: read Account.balance}
    outcomes:
      - {grade: acceptable, is: {balance: 22}, because: one read what the other saved}
      - {grade: interesting, is: {balance: {one-of: [15, 17]}}, because: one is lost}

    """
}

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct TestProductTests {
    @Test func `a command has the same output in a test product`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(raises(policy: "objectTrump"), to: "raises.yaml")
        let own = try Tool.run("explore", file)
        let there = try Tool.run("explore", file, "--tests", Tool.testProduct)
        #expect(there.output == own.output)
        #expect(there.status == own.status)
        // The second lines contain times.
        func first(_ text: String) -> Substring? { text.split(separator: "\n").first }
        #expect(first(there.complaint) == first(own.complaint))
        #expect(own.output.contains("lost update"))
    }

    @Test(arguments: ["explore", "run", "lint", "shrink"])
    func `a registered policy can be named`(command: String) throws {
        let scratch = try Scratch()
        let file = try scratch.write(raises(policy: "mine theirs"), to: "raises.yaml")
        let out = command == "shrink" ? ["--out", scratch.folder.path] : []
        let refused = try Tool.run(list: [command, file] + out)
        #expect(refused.status == 2)
        #expect(refused.complaint.contains("unknown policy 'mine'"))
        #expect(refused.complaint.contains("give --tests PRODUCT"))
        let there = try Tool.run(list: [command, file, "--tests=\(Tool.testProduct)"] + out)
        #expect(there.status == 0, "\(there.complaint)")
        #expect(!there.output.isEmpty)
    }

    @Test func `the product hashes by the same seed in each process`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(raises(policy: "hashed"), to: "raises.yaml")
        let there = try Tool.run("lint", file, "--tests", Tool.testProduct)
        #expect(there.status == 0, "\(there.complaint)")
    }

    @Test func `a script's next output follows that of the command`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(raises(policy: "objectTrump"), to: "raises.yaml")
        let tool = try #require(Tool.executable).path
        let log = scratch.folder.appendingPathComponent("log")
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c",
            "{ '\(tool)' explore '\(file)' --tests '\(Tool.testProduct)'; echo DONE; }"
                + " > '\(log.path)'",
        ]
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        let text = try String(contentsOf: log, encoding: .utf8)
        #expect(text.hasSuffix("DONE\n"))
        #expect(text.contains("lost update"))
    }

    @Test func `the text of a usage error and its exit code are passed on`() throws {
        let there = try Tool.run("explore", "x.yaml", "--tests", Tool.testProduct, "--nothing")
        #expect(there.status == 64)
        #expect(there.complaint.contains("Unknown option '--nothing'"))
    }

    @Test func `a file that is not a test product is refused`() throws {
        let missing = try Tool.run("explore", "x.yaml", "--tests", "/nowhere/Tests.xctest")
        #expect(missing.status == 2)
        #expect(missing.complaint.contains("/nowhere/Tests.xctest: this test product cannot"))
        let other = try Tool.run("explore", "x.yaml", "--tests", "/bin/true")
        #expect(other.status == 2)
        #expect(other.complaint.contains("no test of this product runs"))
        #expect(other.complaint.contains("@Test func faultlineCommandLine()"))
    }
}
