import BenchOperations
import BenchReporting
import BenchResults
import Foundation
import LabBench
import LabFiles
import LabReport
import LabResults
import LabScenario
import ReportParts
import SQLAnalysis

/// The targets that read files of the lab, the bench and the log reader.
enum LabTargets {
    static let all: [FuzzTargets.Entry] = [
        FuzzTargets.Entry("scenarios", floor: 125, most: 200_000) { name in
            let source = TextSource([ScenarioSeed.text, ScenarioSeed.small], words: scenarioWords)
            return FuzzTarget(name, source, run: { scenario($0) })
        },
        FuzzTargets.Entry("workloads", floor: 375, most: 300_000) { name in
            BuiltInOperations.add()
            return FuzzTarget(name, workloads, run: { workload($0) })
        },
        FuzzTargets.Entry("sql-logs", floor: 75, most: 200_000) { name in
            FuzzTarget(name, TextSource([LogSeed.text], words: logWords), run: { log($0) })
        },
        FuzzTargets.Entry("results", floor: 150, most: 200_000) { name in
            let source = TextSource(try resultSeeds(), words: resultWords)
            return FuzzTarget(name, source, run: { result($0) })
        },
        FuzzTargets.Entry("matrix-expectations", floor: 375, most: 300_000) { name in
            FuzzTarget(name, expectations, run: { expectation($0) })
        },
    ]

    /// Checks that an error names a file and, if `lines` is set, a line in it.
    private static func refused(_ error: InputError, lines: Bool = true) -> FuzzVerdict {
        let hasPlace = !error.file.isEmpty && (!lines || (error.line ?? 0) >= 1)
        guard hasPlace, !error.problem.isEmpty, !error.remedy.isEmpty else {
            return .broken("an error without position or remedy: \(error)")
        }
        return .refused
    }

    // MARK: Scenarios

    private static let scenarioWords = [
        "insert Card as k with ", "set k.text = ", "save", "delete k", "fetch Card", "-> x",
        "read ",
        "unless x ", "merge all from B1", "refresh k", "rollback", "count Card where ", "$policy",
        "[", "]", "{", "}", ": ", "- ", "\n", "  ", "\t", "&a ", "*a", "<<: *a", "!!binary ", "? ",
        "|", ">-", "---", "...", "#", "\"", "'", "%YAML 1.2", "policy: [error, rollback]",
        "mode: threads", "mode: baton", "required default 0", "to-many", "inverse", "repeat: 99",
        "name: ", "model:", "sessions:", "outcomes:", "observe:", "cures:", "matrix:", "setup:",
        "limit 99999999999999999999", "where text == 'a'", "if x ", "wait b", "after ", "; ",
    ]

    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        [0x0A, 0x0D, 0x85, 0x2028, 0x2029].contains(scalar.value)
    }

    private static func scenario(_ input: [UInt8]) -> FuzzVerdict {
        let reader = ScenarioReader(include: { _, _ throws(FileProblem) in throw .absent })
        do throws(ScenarioProblems) {
            _ = try reader.read(input, file: "input.yaml")
        } catch {
            let lines =
                String(decoding: input, as: UTF8.self).unicodeScalars
                .count(where: endsLine) + 2
            for problem in error.problems {
                guard (1...lines).contains(problem.position.line), problem.position.column >= 1,
                    !problem.what.isEmpty, !problem.instead.isEmpty
                else { return .broken("an error without position or remedy: \(problem)") }
            }
            return error.problems.isEmpty ? .broken("an error without problems") : .refused
        }
        do throws(ScenarioProblems) {
            let text = try ScenarioDocument(
                input, file: "input.yaml", reader: reader, cure: nil
            ).yaml
            let again = Array(text.utf8)
            _ = try reader.read(again, file: "again.yaml")
            let second = try ScenarioDocument(
                again, file: "again.yaml", reader: reader, cure: nil
            ).yaml
            return second == text ? .accepted : .broken("the text changes when it is written twice")
        } catch {
            return .broken("the written text cannot be read: \(error)")
        }
    }

    // MARK: Workloads

    private static let workloads = TextSource(
        [
            """
            name: child-save
            about: A child's save hands its rows to the parent.
            operation: insert
            data: {authors: 200}
            parameters:
              context: [own, child]
            presets:
              smoke: {authors: 50, books: 20}
            """,
            """
            name: read-ladder
            about: Ids, faults, values.
            operation: read-ladder
            parameters:
              rung: [ids, faults, values, touched, relationships]
            expect:
              select: 1 + relationships
              rows: authors * books + relationships * authors
            presets:
              smoke: {authors: 50, books: 20}
            """,
            """
            name: mine
            about: A fetch on a model of my own.
            model: nowhere.xcdatamodeld
            make: {Item: 100}
            fetch: Item
            where: size > 5
            sort: [name]
            """,
            """
            version: 1
            limits:
              - metric: ratio-to-c
                workload: insert
                strategy: generation=unpinned
                at-most: 1.5
                reason: Validation costs half of what SQLite does.
            """,
        ],
        words: [
            "name: ", "about: ", "operation: ", "insert", "full-fetch", "data: ", "parameters:",
            "expect:", "presets:", "smoke: ", "quick: ", "full: ", "authors", "books", "select: ",
            "rows: ", "1 + ", " * ", " / ", "ceil(", "max(", "(", ")", "[", "]", "{", "}", ": ",
            "- ",
            "\n", "  ", "\t", "&a ", "*a", "<<: *a", "---", "#", "seed: ", "metric: time",
            "at-most: ",
            "reason: ", "version: 1", "limits:", "batch-size: [0, 20]", "|", ">-", "!!int ", "true",
        ])

    private static func workload(_ input: [UInt8]) -> FuzzVerdict {
        var verdict = FuzzVerdict.refused
        do throws(InputError) {
            let workload = try WorkloadFile.parse(Data(input), file: "input.yaml")
            _ = (workload.name, workload.operation.name)
            verdict = .accepted
        } catch {
            verdict = refused(error)
        }
        if case .broken = verdict { return verdict }
        do throws(InputError) {
            _ = try Thresholds.parse(String(decoding: input, as: UTF8.self), file: "limits.yaml")
            return .accepted
        } catch {
            let other = refused(error)
            return other == .refused ? verdict : other
        }
    }

    // MARK: Logs

    private static let logWords = [
        "CoreData: sql: ", "CoreData: annotation: ", "CoreData: details: SQLite bind[", "'", "\"",
        "(", ")", "<…>", "with values: (", "\n", "\u{1B}[31m", "-1", "nan", "SELECT ", " FROM ",
        "WHERE t0.", "for 999999999999 rows.", "p", "?", "[1:2]", "[", "2024-99-99 99:99:99.9",
        "TID: 0x", "_Z_intarray", "EXPLAIN QUERY PLAN ", "BEGIN EXCLUSIVE", "COMMIT",
        "total fetch "
            + "execution time: ", "Got 9 rows", "x-coredata://", "fault fulfilled from database",
        "INSERT INTO ZA(Z_PK) VALUES(?)", "UPDATE OR FAIL ", " JOIN ZB t1 ON ", " ORDER BY ",
        " IN (",
    ]

    private static func log(_ input: [UInt8]) -> FuzzVerdict {
        do throws(InputError) {
            let report = try SQLLogReader().read(input, name: "input.log")
            let count = report.shapes.reduce(0) { $0 + $1.count }
            guard count == report.totals.statements else {
                return .broken("\(count) statements in shapes, \(report.totals.statements) in all")
            }
            _ = SQLLogText(report)
            return roundTrip(report)
        } catch {
            return refused(error, lines: false)
        }
    }

    // MARK: Results

    private static let resultWords = [
        "null", "true", "[]", "{}", "\"\"", ",", ":", "[", "]", "{", "}", "-1", "1e400", "0.0001",
        "\"1/2\"", "\"0/0\"", "\"9/3\"", "\"1/99999999999\"", "\"a/b\"", "\\u0000", "\\ud800",
        "\"kind\":\"faultline.run\"", "\"kind\":\"faultline.bench\"", "\"kind\":\"faultline.sql\"",
        "\"kind\":\"faultline.gate\"", "\"shard\":\"1/2\"", "\"explored\":9223372036854775807",
        "\"count\":-9223372036854775808", "\"formatVersion\":1", "\"samplesNanoseconds\":[]",
    ]

    private static func resultSeeds() throws -> [String] {
        let log = try SQLLogReader().read(Array(LogSeed.text.utf8), name: "a.log")
        let gate = GateVerdict(
            status: .failed, baseline: "b.json", compared: 2,
            differences: [
                GateDifference(
                    effect: .regression, workload: "w", strategy: "s", metric: "select",
                    baseline: "1",
                    current: "2", statements: ["SELECT 1"], message: "worse")
            ], missing: ["x"])
        let fetch = FetchReport(
            store: "s.sqlite", entity: "Item", rowsInStore: 3, request: ["Item"], rounds: 2,
            build: "release", strategies: [FetchStrategy(name: "plain", sentence: "As it is.")])
        var torture = TortureReport(preset: "short", seed: 1)
        torture.timeBudgetSeconds = 60
        torture.parts = [TorturePartResult(name: "kills", planned: 5)]
        torture.parts[0].floor = 2
        torture.parts[0].endedByTime = true
        let made = [
            try ResultFile.text(log), try ResultFile.text(gate), try ResultFile.text(fetch),
            try ResultFile.text(torture),
        ]
        let shard = ResultSeeds.run.replacingOccurrences(
            of: "\"strategy\":\"exhaustive\"", with: "\"shard\":\"1/2\",\"strategy\":\"exhaustive\""
        )
        return made + [ResultSeeds.run, ResultSeeds.matrix, ResultSeeds.bench, shard]
    }

    private static func result(_ input: [UInt8]) -> FuzzVerdict {
        do throws(InputError) {
            let data = Data(input)
            switch try ResultFile.kind(of: data, file: "input.json") {
            case .run: return try check(data, run)
            case .matrix: return try check(data, matrix)
            case .bench: return try check(data, bench)
            case .gate:
                return try check(data) { (verdict: GateVerdict) in
                    _ = (GateText(verdict).text(), GateMarkdown.page(verdict), JUnit.text(verdict))
                }
            case .sql: return try check(data) { (report: SQLReport) in _ = SQLLogText(report) }
            case .fetch: return try check(data) { (report: FetchReport) in _ = FetchText(report) }
            case .torture:
                return try check(data) { (report: TortureReport) in
                    _ = TortureText(report).text()
                }
            }
        } catch {
            return refused(error, lines: false)
        }
    }

    /// Reads a result, passes it to `use`, and writes and reads it again.
    private static func check<Report: SavedResult & Equatable>(
        _ data: Data, _ use: (Report) -> Void
    ) throws(InputError) -> FuzzVerdict {
        guard let report = try ResultFile.read(Report.self, from: data, file: "input.json") else {
            return .broken("the file has another kind when it is read again")
        }
        use(report)
        return roundTrip(report)
    }

    private static func run(_ report: RunReport) {
        _ = (RunText(report).full(), RunText(report).compact(), JUnit.text(report))
        _ = RunMarkdown.page(report, title: "Scenarios")
        _ = (try? SitePage.run(report)).map { ReportSite([$0]).files() }
        if let merged = try? ShardMerge([("a.json", report)]).merged() {
            _ = RunText(merged).full()
        }
    }

    private static func matrix(_ matrix: MatrixResult) {
        _ = MatrixText(matrix).full()
        _ = MatrixExpectation(matrix).markdown
        _ = (try? SitePage.matrix(matrix)).map { ReportSite([$0]).files() }
    }

    private static func bench(_ report: BenchReport) {
        _ = BenchText(report).text()
        _ = (try? SitePage.bench(report)).map { ReportSite([$0]).files() }
        _ = GateText(Gate.compare(report, baseline: report, name: "b", times: .apart)).text()
    }

    private static func roundTrip<Report: Codable & Equatable>(_ report: Report) -> FuzzVerdict {
        guard let text = try? ResultFile.text(report) else { return .refused }
        guard let again = try? JSONDecoder().decode(Report.self, from: Data(text.utf8)) else {
            return .broken("the written text cannot be read: \(text)")
        }
        return again == report ? .accepted : .broken("the result changes when it is read again")
    }

    // MARK: Expectations

    private static let expectations = TextSource(
        [
            """
            # What every policy does about every bug

            | bug | error | rollback |
            |---|---|---|
            | MB-01 | error: a = 1 | correct: a \\| b |
            | MB-02 | silently-lost | prevented: &lt;x> |
            """
        ],
        words: ["|", "||", "\\|", "\\", "---", ":--:", "\n", "| a | b |", "&lt;", " ", "#", "-"])

    private static func expectation(_ input: [UInt8]) -> FuzzVerdict {
        do throws(InputError) {
            let text = String(decoding: input, as: UTF8.self)
            let read = try MatrixExpectation(markdown: text, file: "matrix.md")
            let again = try? MatrixExpectation(markdown: read.markdown, file: "again.md")
            return again == read ? .accepted : .broken("it changes if written and read again")
        } catch {
            return refused(error)
        }
    }
}
