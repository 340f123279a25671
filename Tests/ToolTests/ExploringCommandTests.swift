import Foundation
import TestSupport
import Testing

private let raises = """
    name: two-raises
    about: Two writers that raise one balance both count.
    model: {entities: {Account: {attributes: {balance: integer64 required default 0}}}}
    contexts: {B1: {}, B2: {}}
    setup: [insert Account as a with balance = 10]
    sessions:
      one: {context: B1,steps: {r1: read a.balance,w1: set a.balance = a.balance + 5, s1: save}}
      two: {context: B2,steps: {r2: read a.balance,w2: set a.balance = a.balance + 7, s2: save}}
    observe: {balance: read Account.balance, one: status s1, two: status s2}
    outcomes:
      - {grade: acceptable, is: {balance: 22}, because: one read what the other saved}
      - {grade: acceptable, is: {one: 133020}, because: the first is told}
      - {grade: acceptable, is: {two: 133020}, because: the second is told}

    """

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct ExploringCommandTests {
    @Test
    func `exploring prints its prediction, rate and use of time next to the result`()
        throws
    {
        let scratch = try Scratch()
        let file = try scratch.write(raises, to: "raises.yaml")
        let result = try Tool.run("explore", file)
        #expect(result.status == 0)
        #expect(result.complaint.contains("predicted 20 schedules"))
        #expect(result.complaint.contains("/s: "))
        #expect(result.complaint.contains("% reset"))
    }

    @Test(arguments: [
        ["--strategy", "all"], ["--shard", "3/2"], ["--time-budget", "0"],
        ["--strategy", "portfolio", "--shard", "1/2"], ["--jobs", "0"],
    ])
    func `an invalid strategy or limit is a usage error`(arguments: [String]) throws {
        let result = try Tool.run(list: ["explore", "x.yaml"] + arguments)
        #expect(result.status == 64)
        let complaint = result.complaint
        #expect(["write", "above 0", "from 1"].contains { complaint.contains($0) })
    }

    @Test(arguments: ["exhaustive", "reduced"])
    func `each complete strategy has the same counts`(strategy: String) throws {
        let scratch = try Scratch()
        let file = try scratch.write(raises, to: "raises.yaml")
        let result = try Tool.run("explore", file, "--strategy", strategy)
        #expect(result.status == 0)
        #expect(result.output.contains("     20              all"))
    }

    @Test(arguments: ["random", "pct", "bounded:1", "portfolio"])
    func `a strategy that skips schedules is inconclusive`(strategy: String) throws {
        let scratch = try Scratch()
        let file = try scratch.write(raises, to: "raises.yaml")
        let result = try Tool.run("explore", file, "--strategy", strategy, "--limit", "9")
        #expect(result.status == 3, "\(result.output)")
    }

    @Test(arguments: ["exhaustive", "reduced"])
    func `shards are joined to the result of one process, and a missing one is reported`(
        strategy: String
    ) throws {
        let scratch = try Scratch()
        let file = try scratch.write(raises, to: "raises.yaml")
        var parts: [String] = []
        for shard in 1...3 {
            let part = scratch.path("part\(shard).json")
            let result = try Tool.run(
                "explore", file, "--strategy", strategy, "--shard", "\(shard)/3", "--save", part)
            #expect(result.status == 3)
            parts.append(part)
        }
        for format in ["text", "json", "markdown"] {
            let whole = try Tool.run(
                "explore", file, "--strategy", strategy, "--jobs", "1", "--format", format)
            #expect(whole.status == 0)
            let side = try Tool.run(
                "explore", file, "--strategy", strategy, "--jobs", "2", "--format", format)
            #expect(side.output == whole.output)
            let joined = try Tool.run(list: ["merge"] + parts + ["--format", format])
            #expect(joined.status == 0)
            #expect(joined.output == whole.output)
        }
        let two = try Tool.run(list: ["merge"] + parts.dropLast())
        #expect(two.status == 3)
        #expect(two.output.contains("missing shards: 3/3"))
        let twice = try Tool.run("merge", parts[0], parts[0])
        #expect(twice.status == 2)
    }

    @Test func `a fault in the engine is noticed by a scenario`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(raises, to: "raises.yaml")
        let result = try Tool.run("mutants", file, "--only", "ignoreRowConflicts")
        #expect(result.status == 0, "\(result.complaint)")
        #expect(result.output.contains("1 of 1 mutants killed"))
        let survivor = try Tool.run("mutants", file, "--only", "cascadeNullifies")
        #expect(survivor.status == 1)
        #expect(survivor.output.contains("SURVIVES"))
    }

    @Test func `samples of shards prove nothing`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(raises, to: "raises.yaml")
        let parts = try (1...2).map { shard in
            let part = scratch.path("part\(shard).json")
            _ = try Tool.run(
                "explore", file, "--strategy", "random", "--shard", "\(shard)/2", "--limit", "40",
                "--save", part)
            return part
        }
        #expect(try Tool.run(list: ["merge"] + parts).status == 3)
    }

    @Test func `the lab tests itself`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(raises, to: "raises.yaml")
        let result = try Tool.run(
            "selfcheck", file, "--repeats", "40", "--scenarios", "2", "--programs", "0", "--seed",
            "7")
        #expect(result.status == 0)
        #expect(result.output.contains("20 schedules by brute force"))
        #expect(result.output.contains("40 runs repeated, 0 differences"))
    }

    @Test func `stepping shows every context and the possible next steps`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(raises, to: "raises.yaml")
        let result = try Tool.run("step", file)
        #expect(result.status == 3, "nobody chose a step")
        #expect(result.output.contains("next: 1 r1   2 r2"))
        #expect(result.output.contains("B1  holds nothing"))
    }
}
