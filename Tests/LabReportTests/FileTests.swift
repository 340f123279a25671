import BenchReporting
import BenchResults
import Foundation
import FoundationXML
import LabFiles
import LabResults
import Testing

@testable import LabReport
@testable import ReportParts

@Suite struct FileTests {
    @Test func `a result file is read back as it was written`() throws {
        #expect(try again(Samples.matrix) == Samples.matrix)
        #expect(try again(Samples.run) == Samples.run)
        #expect(try again(Samples.bench) == Samples.bench)
        #expect(try again(Samples.gate) == Samples.gate)
        let text = try ResultFile.text(Samples.run)
        #expect(try ResultFile.kind(of: Data(text.utf8), file: "a.json") == .run)
        #expect(
            try ResultFile.read(BenchReport.self, from: Data(text.utf8), file: "a.json") == nil)
    }

    private func again<Result: SavedResult>(_ result: Result) throws -> Result? {
        let text = try ResultFile.text(result)
        return try ResultFile.read(Result.self, from: Data(text.utf8), file: "a.json")
    }

    @Test(arguments: [
        ("", "not JSON"), ("{\"header\": {", "a part of it"), ("[]", "not a result file"),
        ("{\"header\":{\"kind\":\"faultline.run\",\"formatVersion\":99}}", "format version 99"),
        ("{\"header\":{\"kind\":\"faultline.run\",\"formatVersion\":1}}", "no 'scenarios'"),
        ("{\"header\":{\"kind\":\"other\",\"formatVersion\":1}}", "not a result file"),
    ])
    func `a file that is not a result is refused with the command that writes one`(
        text: String, problem: String
    ) {
        let error = #expect(throws: InputError.self) {
            try ResultFile.read(RunReport.self, from: Data(text.utf8), file: "a.json")
        }
        #expect(error?.description.hasPrefix("a.json: ") == true)
        #expect(error?.description.contains(problem) == true)
        #expect(error?.description.contains("; ") == true)
    }

    @Test func `JUnit counts failures and skips, and is well-formed`() throws {
        let text = JUnit.text(Samples.run)
        #expect(text.contains("tests=\"3\" failures=\"1\" skipped=\"1\""))
        #expect(XMLParser(data: Data(text.utf8)).parse())
        let gate = JUnit.text(Samples.gate)
        #expect(gate.contains("tests=\"6\" failures=\"4\" skipped=\"1\""))
        #expect(
            gate.contains(
                "name=\"prefetch faults\" file=\"Sources/ShelfBench/main.swift\" line=\"12\" "
                    + "time=\"0.012500\"/>"))
        #expect(gate.contains("+1 SELECT 1 FROM ZBOOK WHERE Z_PK &lt; ?"))
        #expect(XMLParser(data: Data(gate.utf8)).parse())
    }

    @Test func `an expectation is read back as it was written`() throws {
        let expectation = MatrixExpectation(Samples.matrix)
        let text = expectation.markdown
        #expect(try MatrixExpectation(markdown: text, file: "a.md") == expectation)
    }

    @Test func `an expectation keeps titles with bars`() throws {
        let text = "| bug | a \\| b |\n|---|---|\n| MB \\| 01 | c \\| d |\n"
        let expectation = try MatrixExpectation(markdown: text, file: "a.md")
        #expect(expectation.columns == ["a | b"])
        #expect(try MatrixExpectation(markdown: expectation.markdown, file: "b.md") == expectation)
    }

    /// Reading a file must neither crash nor allocate unlimited memory.
    @Test(arguments: ["1/99999999999", "3/2", "0/0", "1/0", "-1/2", "a/b", "1", "", "/"])
    func `an invalid shard is refused`(shard: String) {
        var report = Samples.run
        for place in report.scenarios.indices { report.scenarios[place].schedules.shard = shard }
        let error = #expect(throws: InputErrors.self) {
            try ShardMerge([("a.json", report)]).merged()
        }
        #expect(error?.description.contains("'\(shard)'") == true)
    }

    @Test func `counts of shards saturate at the largest number`() throws {
        let reports = (1...2).map { number in
            var report = Samples.run
            for place in report.scenarios.indices {
                report.scenarios[place].schedules.shard = "\(number)/2"
                report.scenarios[place].schedules.explored = .max
                for outcome in report.scenarios[place].outcomes.indices {
                    report.scenarios[place].outcomes[outcome].count = .max
                }
            }
            return (file: "\(number).json", report: report)
        }
        let merged = try ShardMerge(reports).merged()
        #expect(merged.scenarios.first?.schedules.explored == .max)
    }

    @Test func `a matrix that equals the expectations has no differences`() {
        let check = ExpectationCheck(
            Samples.matrix, with: MatrixExpectation(Samples.matrix), file: "a.md")
        #expect(check.differences.isEmpty)
        #expect(check.sentence == "All 4 cells equal the table of expectations in a.md.")
    }

    @Test func `a changed cell, a new row and a missing row are differences`() {
        let expectation = MatrixExpectation(Samples.matrix)
        var matrix = Samples.matrix
        matrix.rows[0].cells[1].classification = .correct
        matrix.rows[1].id = "MB-24"
        let check = ExpectationCheck(matrix, with: expectation, file: "a.md")
        #expect(
            check.differences.map(\.description) == [
                "MB-09 under object-trump: expected 'silently lost: moods = 2 | f2 <ok>', "
                    + "observed 'correct: moods = 2 | f2 <ok>'",
                "MB-23 under error: expected 'prevented (constraint)', observed 'no such cell'",
                "MB-23 under object-trump: expected 'correct: rows = 1', observed 'no such cell'",
                "MB-24 under error: expected 'no such cell', observed 'prevented (constraint)'",
                "MB-24 under object-trump: expected 'no such cell', observed 'correct: rows = 1'",
            ])
    }

    @Test(arguments: [
        ("", 1), ("# Title\n\nno table\n", 1), ("# T\n\n| a | b |\n| --- | --- |\n| x |\n", 5),
    ])
    func `an invalid table of expectations is refused with its line`(text: String, line: Int) {
        let error = #expect(throws: InputError.self) {
            try MatrixExpectation(markdown: text, file: "a.md")
        }
        #expect(error?.line == line)
    }
}
