import BenchResults
import Foundation
import LabResults
import Testing

@testable import BenchReporting
@testable import LabReport
@testable import ReportParts

@Suite struct TextTests {
    @Test(arguments: [
        (0, "0"), (999, "999"), (1_000, "1,000"), (100_000, "100,000"), (-1_234_567, "-1,234,567"),
    ])
    func `counts are written with thousands separated`(value: Int, text: String) {
        #expect(Figures.count(value) == text)
    }

    @Test(arguments: [
        (999, "999 ns"), (1_230, "1.23 µs"), (45_600_000, "45.6 ms"), (2_000_000_000, "2.00 s"),
    ])
    func `times are written with three digits and their unit`(value: UInt64, text: String) {
        #expect(Figures.time(value) == text)
    }

    @Test func `a table aligns figures to the right and leaves out empty columns`() {
        var table = Table([.init("name"), .init("empty"), .init("rows", .right)])
        table.add(["one", "", "1"])
        table.add(["twelve", "", "1,200"])
        #expect(
            table.withoutEmptyColumns().text() == """
                name     rows
                ──────  ─────
                one         1
                twelve  1,200

                """)
    }

    @Test func `a compact run shows verdicts, reasons and a command to paste`() throws {
        try Golden.expect(RunText(Samples.run).compact(), is: "run-compact.txt")
    }

    @Test func `a full run shows outcome counts that add up`() throws {
        let text = RunText(Samples.run).full()
        #expect(text.contains("predicted 70, explored 70 (exhaustive)"))
        #expect(text.contains("   70              all"))
        try Golden.expect(text, is: "run-full.txt")
    }

    @Test func `transcripts are printed unchanged`() {
        let text = RunText(RunReport(scenarios: [Samples.scenario])).transcripts()
        #expect(text == Samples.transcript.text)
    }

    @Test func `a matrix shows a cell per policy`() throws {
        try Golden.expect(MatrixText(Samples.matrix).full(), is: "matrix.txt")
    }

    @Test func `a bench report labels its times with the machine`() throws {
        let text = BenchText(Samples.bench).text()
        #expect(text.contains("Times are indicative: measured on x86_64 virtual machine"))
        try Golden.expect(text, is: "bench.txt")
    }

    @Test func `a failed gate names the statement that appeared`() throws {
        let text = GateText(Samples.gate).text()
        #expect(text.contains("+1 SELECT 1 FROM ZBOOK WHERE Z_PK < ?"))
        try Golden.expect(text, is: "gate.txt")
    }

    @Test func `an annotation is one line, even if its message has several`() {
        var gate = Samples.gate
        gate.differences = [
            GateDifference(
                effect: .regression, workload: "read, 10:1", strategy: "plain", metric: "rows",
                baseline: "1", current: "2", message: "100% more:\r\na, b")
        ]
        gate.missing = []
        #expect(
            GateAnnotations.text(gate)
                == "::error title=read%2C 10%3A1%3A rows 1 → 2::100%25 more:%0D%0Aa, b\n")
    }

    @Test func `one cause is one annotation, at the declaration of its workload`() {
        let lines = GateAnnotations.text(Samples.gate).components(separatedBy: "\n")
        let place = "::error file=Sources/ShelfBench/main.swift,line=12,"
        let title = "title=prefetch%3A select statements 2 → 3::"
        let body: [String] = [
            "one more SELECT than the baseline", "+1 SELECT 1 FROM ZBOOK WHERE Z_PK < ?",
            "with it: rows 100 → 101, 1 figure of other strategies",
            "strategies: prefetch, batch=20",
        ]
        #expect(lines.count == 3)
        #expect(lines[0] == place + title + body.joined(separator: "%0A"))
        #expect(lines[1] == "::warning title=not compared::insert / one save")
    }

    @Test func `colour is used only on a terminal`() {
        let plain = RunText(Samples.run).compact()
        let coloured = RunText(Samples.run, terminal: Terminal(isColoured: true)).compact()
        #expect(!plain.contains("\u{1B}"))
        #expect(coloured.contains("\u{1B}[31mfailed"))
    }
}
