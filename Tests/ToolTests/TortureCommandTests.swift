import Foundation
import TestSupport
import Testing

/// These commands run in `faultline-torture`, a separate program next to the tool.
@Suite(
    .enabled(
        if: Tool.isBuilt && BuiltTool.torture != nil,
        "the executables faultline and faultline-torture have not been built"))
struct TortureCommandTests {
    private func attacks(_ arguments: String...) throws -> BuiltTool.Result {
        try BuiltTool.run(
            arguments, of: BuiltTool.torture, in: Tool.root)
    }

    @Test(arguments: ["torture", "selfcheck"])
    func `help is the same in both programs`(command: String) throws {
        let help = try Tool.run(command, "--help")
        #expect(help.status == 0)
        #expect(help.output.contains("USAGE: faultline \(command) "))
        #expect(help.output == (try attacks(command, "--help")).output)
        #expect(help.output == (try Tool.run("help", command)).output)
    }

    @Test(arguments: [
        (["torture", "--only", "nothing"], "unknown part 'nothing'; use one of kills"),
        (["torture", "--attempts", "0"], "--attempts must be at least 1"),
        (["torture", "--first", "1", "--report", "r.json"], "cannot be combined with --report"),
        (["torture", "--preset", "long"], "'night'"),
        (["selfcheck", "--repeats", "0"], "--repeats and --at-most must be at least 1"),
        (["selfcheck", "--nothing"], "Unknown option '--nothing'"),
    ])
    func `invalid arguments have the same error in both programs`(arguments: [String], said: String)
        throws
    {
        let result = try Tool.run(list: arguments)
        #expect(result.status == 64)
        #expect(result.complaint.contains(said))
        #expect(result.complaint.contains("faultline \(arguments[0]) "))
        let own = try BuiltTool.run(
            arguments, of: BuiltTool.torture, in: Tool.root)
        #expect(own.status == 64 && own.complaint == result.complaint)
    }

    @Test func `victims, workers and readers are processes of the second program`() throws {
        let scratch = try Scratch()
        let report = scratch.path("report.json")
        let result = try Tool.run(
            "--color", "never", "torture", "--only", "kills", "fuzz-predicates", "scenarios",
            "--attempts", "2", "--report", report)
        #expect(result.status == 0, "\(result.output)\(result.complaint)")
        let parts = result.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }
        #expect(parts == ["kills", "fuzz-predicates", "scenarios"])
        // A report with another seed cannot be continued.
        let other = try Tool.run("torture", "--seed", "2", "--report", report)
        #expect(other.status == 2)
        #expect(other.complaint.contains("this campaign has the preset short and the seed 1"))
    }

    @Test func `the second program is found through links, and reported with a remedy if missing`()
        throws
    {
        let scratch = try Scratch()
        let tool = try #require(Tool.executable)
        let link = scratch.folder.appendingPathComponent("linked")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: tool)
        let linked = try BuiltTool.run(
            ["torture", "--only", "nothing"], of: link, in: Tool.root)
        #expect(linked.status == 64)
        #expect(linked.complaint.contains("unknown part 'nothing'"))

        let lone = scratch.folder.appendingPathComponent("faultline")
        do { try FileManager.default.linkItem(at: tool, to: lone) } catch {
            try FileManager.default.copyItem(at: tool, to: lone)
        }
        for command in ["torture", "selfcheck"] {
            let missing = try BuiltTool.run([command], of: lone, in: Tool.root)
            #expect(missing.status == 2)
            #expect(
                missing.complaint
                    == "\(scratch.path("faultline-torture")): \(command) needs this program, which"
                    + " does not exist; run `./faultline \(command)` in a checkout, or build it"
                    + " with `swift build --product faultline-torture` into the folder of this"
                    + " program\n")
            #expect(try BuiltTool.run([command, "--help"], of: lone, in: Tool.root).status == 0)
        }
        let damaged = try scratch.write("not a program", to: "faultline-torture")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: damaged)
        let unstarted = try BuiltTool.run(["torture"], of: lone, in: Tool.root)
        #expect(unstarted.status == 2)
        #expect(unstarted.complaint.hasPrefix("\(damaged): this program cannot be started ("))
    }
}
