import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct ResultCommandTests {
    @Test func `a command that does not exist is a usage error`() throws {
        let result = try Tool.run("bogus")
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.complaint.contains("unknown command 'bogus'"))
    }

    @Test(arguments: [
        ["bench", "--bogus"], ["gate"], ["compare", "one.json"], ["schema", "nothing"],
        ["bench", "--preset", "huge"], ["bench", "--counts-only"], ["bench", "--format", "junit"],
        ["run", "--limit", "0"], ["explore"], ["matrix", "a.yaml", "--bless"],
    ])
    func `a wrong option is a usage error`(arguments: [String]) throws {
        let result = try Tool.run(list: arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.complaint.contains("Usage: faultline"))
    }

    @Test func `port names the program that rewrites sources`() throws {
        let result = try Tool.run("port", "App", "--output", "New")
        #expect(result.status == 64)
        #expect(result.complaint.contains("./faultline port App --output New"))
        #expect(try Tool.run("port", "--help").output.contains("coredata-sources"))
    }

    @Test(arguments: ["scenario", "run", "matrix", "bench", "gate", "sql", "fetch"])
    func `the schema of each result file is JSON and nothing else`(kind: String) throws {
        let result = try Tool.run("schema", kind)
        #expect(result.status == 0)
        #expect(result.complaint.isEmpty)
        _ = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    }

    @Test func `equal counts pass`() throws {
        let scratch = try Scratch()
        let before = try scratch.write(Saved.bench(), to: "before.json")
        let after = try scratch.write(Saved.bench(), to: "after.json")
        let result = try Tool.run("compare", before, after)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("gate passed: "))
        #expect(result.complaint.isEmpty)
    }

    @Test(arguments: ["text", "markdown", "json", "junit"])
    func `an extra statement fails and is named in every format`(format: String) throws {
        let scratch = try Scratch()
        let before = try scratch.write(Saved.bench(), to: "before.json")
        let after = try scratch.write(Saved.bench(selects: 3), to: "after.json")
        let result = try Tool.run("compare", before, after, "--format", format)
        #expect(result.status == 1)
        #expect(result.output.contains("SELECT 0, t0.Z_PK FROM ZBOOK t0"))
    }

    @Test func `results without a common workload are inconclusive`() throws {
        let scratch = try Scratch()
        let before = try scratch.write(Saved.bench(), to: "before.json")
        let after = try scratch.write(Saved.bench(workload: "other"), to: "after.json")
        #expect(try Tool.run("compare", before, after).status == 3)
    }

    @Test func `a file that is not a result is named with the expected input`() throws {
        let scratch = try Scratch()
        let good = try scratch.write(Saved.bench(), to: "good.json")
        for text in ["", "{", "\u{0}\u{1}", "{\"header\":{}}"] {
            let bad = try scratch.write(text, to: "bad.json")
            let result = try Tool.run("compare", good, bad)
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.complaint.hasPrefix(bad + ": "))
            #expect(result.complaint.contains("; "))
        }
        let absent = try Tool.run("compare", good, scratch.path("absent.json"))
        #expect(absent.status == 2)
        #expect(absent.complaint.contains("cannot be read"))
    }

    @Test func `a report folder is written from saved results`() throws {
        let scratch = try Scratch()
        let bench = try scratch.write(Saved.bench(), to: "bench.json")
        let run = try scratch.write(Saved.run(), to: "run.json")
        let folder = scratch.path("Reports")
        let result = try Tool.run("report", bench, run, "--to", folder)
        #expect(result.status == 0)
        #expect(result.output == "\(folder)/index.html\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(
            names == [
                "bench.html", "bench.json", "bench.md", "index.html", "index.md", "scenarios.html",
                "scenarios.json", "scenarios.md",
            ])
        let twice = try Tool.run("report", bench, bench, "--to", folder)
        #expect(twice.status == 2)
        #expect(twice.complaint.contains("a second result of bench"))
    }

    @Test(.enabled(if: Tool.hasTerminal, "no program here makes a terminal"))
    func `colour is used on a terminal, and not with NO_COLOR nor in a pipe`() throws {
        let scratch = try Scratch()
        let saved = try scratch.write(Saved.bench(), to: "saved.json")
        let plain = try Tool.run("compare", saved, saved).output
        let shown = try Tool.runOnTerminal("compare", saved, saved)
        let quiet = try Tool.runOnTerminal(
            "compare", saved, saved, environment: ["NO_COLOR": "1"])
        #expect(!plain.contains("\u{1B}"))
        #expect(shown.contains("\u{1B}[32mgate passed"))
        #expect(!quiet.contains("\u{1B}"))
    }

    #if DEBUG
        @Test func `a debug build refuses to measure`() throws {
            let result = try Tool.run("bench", "--preset", "smoke")
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.complaint.contains("swift build -c release"))
        }
    #endif
}
