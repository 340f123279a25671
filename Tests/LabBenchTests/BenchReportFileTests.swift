import Foundation
import LabBench
import LabResults
import Testing

@Suite struct BenchReportFileTests {
    private let report = BenchReport(
        preset: "smoke", seed: 1,
        environment: Environment(
            machine: "m", cpu: "c", cores: 1, memoryBytes: 1, operatingSystem: "o", swift: "s",
            sqlite: "3", build: "release"),
        results: [
            BenchResult(
                workload: "w", file: "w.yaml", sentence: "s", parameters: [.init("authors", "3")],
                strategies: [
                    StrategyResult(
                        name: "n", sentence: "s", counts: BenchCounts(statements: ["select": 1]),
                        statements: [StatementCount(kind: "select", text: "SELECT 1", count: 1)],
                        time: Timing(
                            samplesNanoseconds: [1], medianNanoseconds: 1, lowNanoseconds: 1,
                            highNanoseconds: 1),
                        peakMemoryBytes: 5, checksum: "a",
                        expectations: [
                            CountExpectation(
                                count: "select", expression: "1", expected: 1, seen: 1)
                        ])
                ])
        ])

    @Test func `a report survives being written and read`() throws {
        let bytes = try BenchReportFile.bytes(report)
        #expect(try BenchReportFile.parse(bytes, file: "r.json") == report)
        #expect(try BenchReportFile.bytes(report) == bytes)
    }

    @Test func `a baseline keeps counts and predictions and drops what the machine decides`() {
        let strategy = Gate.baseline(from: report).results[0].strategies[0]
        #expect(strategy.time == nil && strategy.peakMemoryBytes == nil && strategy.twin == nil)
        #expect(strategy.counts == report.results[0].strategies[0].counts)
        #expect(strategy.statements == report.results[0].strategies[0].statements)
        #expect(strategy.expectations == report.results[0].strategies[0].expectations)
    }

    @Test func `what is no report of this version is refused with the reason`() throws {
        let text = String(decoding: try BenchReportFile.bytes(report), as: UTF8.self)
        let bad = [
            ("", "the file is not a bench report (it is not JSON of that kind)"),
            ("{}", "the file is not a bench report (`header` is missing)"),
            (
                text.replacing("\"formatVersion\" : 1", with: "\"formatVersion\" : 9"),
                "the file is faultline.bench version 9"
            ),
            (
                text.replacing("faultline.bench", with: "faultline.gate"),
                "the file is faultline.gate version 1"
            ),
            (
                text.replacing("\"seed\" : 1", with: "\"seed\" : \"x\""),
                "the file is not a bench report (`seed` holds something else)"
            ),
        ]
        for (text, problem) in bad {
            let error = #expect(throws: InputError.self) {
                try BenchReportFile.parse(Data(text.utf8), file: "r.json")
            }
            #expect(error?.problem == problem)
        }
    }

    @Test func `a file that is not there is refused`() {
        let error = #expect(throws: InputError.self) { try BenchReportFile.read("nowhere.json") }
        #expect(
            error?.description == "nowhere.json: the file cannot be read; "
                + "name a report that `faultline bench --save FILE` wrote")
    }
}
