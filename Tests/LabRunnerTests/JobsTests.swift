import LabFiles
import LabResults
import LabRunner
import Synchronization
import Testing

/// Tests that results are the same on one thread, on several threads and in shards.
@Suite struct JobsTests {
    /// Scenarios with automatic merges, a child context, a file store, and threads that wait for
    /// each other.
    static let files = [
        "merging/mb-44-completion-before-merge.yaml", "merging/mb-45-merged-yet-old.yaml",
        "policies/below-the-row-cache.yaml",
        "deadlocks/mb-72-fetching-while-the-writer-fetches.yaml",
    ]

    /// A scenario with 756,756 schedules. Three sessions each write a shared row and their own
    /// rows.
    private static let large = """
        name: written
        about: Three writers count together.
        model: {entities: {Item: {attributes: {number: integer64 required default 0}}}}
        contexts: {A: {}, B: {policy: objectTrump}, C: {policy: overwrite}}
        setup: [insert Item as a, insert Item as b]
        sessions:
          one: {context: A, steps: {a1: read a.number, a2: set a.number = a.number + 1,
            a3: read b.number, a4: count Item -> n, a5: save}}
          two: {context: B, steps: {b1: read a.number, b2: set a.number = a.number + 2,
            b3: insert Item, b4: count Item -> n, b5: save}}
          three: {context: C, steps: {c1: read b.number, c2: set b.number = b.number + 4,
            c3: read a.number, c4: set a.number = a.number + 8, c5: save}}
        observe: {sum: read Item.number where SELF == $a, rows: count Item}
        outcomes:
          - {grade: interesting, is: {rows: 3}, because: Everybody saved something.}
        """

    private func explore(
        _ file: String, jobs: Int = 1, strategy: String? = nil, limit: Int? = nil,
        shard: String? = nil
    ) throws -> RunReport {
        var suite = suite()
        suite.options.jobs = jobs
        suite.options.limit = limit
        let isKnown = strategy.map { suite.options.setStrategy($0) } ?? true
        let isPart = shard.map { suite.options.setShard($0) } ?? true
        #expect(isKnown && isPart)
        return try suite.explore(file)
    }

    @Test(arguments: files, [nil, "reduced", "random"])
    func `several threads have the result of one thread, with every strategy`(
        file: String, strategy: String?
    ) throws {
        let file = "\(scenarios)/\(file)"
        for (limit, jobs) in [(5, 3), (30, 2)] {
            let one = try explore(file, strategy: strategy, limit: limit)
            #expect(one.scenarios.allSatisfy { $0.schedules.explored > 0 })
            let several = try explore(file, jobs: jobs, strategy: strategy, limit: limit)
            #expect(several == one, "\(jobs) threads, limit \(limit)")
        }
    }

    @Test(arguments: files, [nil, "reduced", "bounded:1"])
    func `joined shards have the result of one process`(file: String, strategy: String?) throws {
        let file = "\(scenarios)/\(file)"
        let one = try explore(file, strategy: strategy)
        let shards = try (1...3).map { index in
            let report = try explore(
                file, jobs: index, strategy: strategy, shard: "\(index)/3")
            #expect(report.scenarios.allSatisfy { $0.verdict != .passed })
            return (file: "\(index).json", report: report)
        }
        #expect(try suite().merge(shards.reversed()) == one)
    }

    @Test(arguments: files) func `joined shards of a sample are the sample, which proves nothing`(
        file: String
    ) throws {
        let file = "\(scenarios)/\(file)"
        let one = try explore(file, strategy: "random", limit: 20)
        let shards = try (1...3).map { index in
            (
                file: "\(index).json",
                report: try explore(
                    file, strategy: "random", limit: 20, shard: "\(index)/3")
            )
        }
        let joined = try suite().merge(shards)
        #expect(joined == one)
        #expect(joined.scenarios.allSatisfy { $0.verdict != .passed })
    }

    @Test func `a large space is sampled and cut in the same way by several threads`() throws {
        try withScenario(Self.large) { file in
            let one = try explore(file, limit: 24)
            let result = try #require(one.scenarios.first)
            #expect(result.schedules.strategy == "sample with seed 1, then reduced")
            #expect(result.schedules.stoppedAt?.hasPrefix("the limit of ") == true)
            #expect(result.verdict == .inconclusive)
            for jobs in 2...3 { #expect(try explore(file, jobs: jobs, limit: 24) == one) }
        }
    }

    @Test func `the first witnesses of a large space are reported immediately`() throws {
        try withScenario(Self.large.replacing("interesting", with: "forbidden")) { file in
            let notes = Notes()
            var suite = suite()
            suite.options.limit = 100
            suite.options.jobs = 2
            suite.options.notes = { notes.add($0.text) }
            _ = try suite.explore(file)
            let lines = notes.lines
            #expect(lines.first?.contains("predicted 756756 schedules") == true)
            #expect(lines.contains { $0.contains("forbidden outcome (") && $0.contains("lab1:") })
            #expect(Set(lines).count == lines.count)
        }
    }

    @Test func `files that run at the same time are reported in their order`() throws {
        let files = Self.files.map { "\(scenarios)/\($0)" }
        let one = try suite().run(files)
        var several = suite()
        several.options.jobs = 3
        #expect(try several.run(files) == one)
        let table = ["\(scenarios)/unique/mb-30-checked-at-save.yaml"]
        let matrix = try suite().matrix(table)
        #expect(!matrix.rows.isEmpty)
        #expect(try several.matrix(table) == matrix)
        let lint = try suite().lint(files, runs: true)
        #expect(try several.lint(files, runs: true).warnings == lint.warnings)
    }

    @Test func `a survey is a run, a matrix and a lint in one`() throws {
        let files = [Self.files[1], "unique/mb-30-checked-at-save.yaml"].map {
            "\(scenarios)/\($0)"
        }
        let survey = try suite().survey(files)
        #expect(survey.run == (try suite().run(files)))
        #expect(survey.matrix == (try suite().matrix(files)))
        #expect(!survey.matrix.rows.isEmpty)
        #expect(survey.lint.warnings == (try suite().lint(files, runs: true)).warnings)
    }

    @Test func `a missing shard, another count and a changed file are reported`() throws {
        let file = "\(scenarios)/\(Self.files[1])"
        let whole = try explore(file, strategy: "reduced")
        let good = try (1...2).map { index in
            (
                file: "\(index).json",
                report: try explore(file, strategy: "reduced", shard: "\(index)/2")
            )
        }
        #expect(try suite().merge(good) == whole)
        let missing = try suite().merge([good[0]])
        #expect(missing.scenarios[0].verdict == .inconclusive)
        #expect(missing.scenarios[0].schedules.stoppedAt == "missing shards: 2/2")
        var shards = good
        shards[0].report.scenarios[0].record?.outcomes[0].count += 1
        #expect(try suite().merge(shards) != whole)
        shards = good
        shards[0].report.scenarios[0].record = nil
        #expect(try suite().merge(shards).scenarios[0].verdict == .inconclusive)
        shards = good
        shards[0].report.scenarios[0].record?.hash = "00000000"
        let error = #expect(throws: InputErrors.self) { try suite().merge(shards) }
        #expect(error?.errors.first?.problem.contains("has changed since") == true)
        shards = good
        shards[1].report.scenarios[0].record?.outcomes[0].first.lanes = [77]
        #expect(throws: InputErrors.self) { try suite().merge(shards) }
    }
}

/// Collects the lines that several threads report.
private final class Notes: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func add(_ line: String) { kept.withLock { $0.append(line) } }
}
