import BenchResults
import Testing

@testable import BenchReporting
@testable import ReportParts

@Suite struct HistoryTests {
    private func result(
        selects: Int, commit: String?, committed: String = "2026-01-01T00:00:00Z"
    ) -> BenchReport {
        var report = Samples.bench
        report.origin = commit.map {
            ResultOrigin(
                commit: $0, subject: "Change <\($0)>", committed: committed,
                measured: "2026-02-01T00:00:00Z", isChanged: false)
        }
        report.results[0].strategies[1].counts.statements["select"] = selects
        return report
    }

    private var history: BenchHistory {
        BenchHistory([
            (
                "c.json",
                result(selects: 9, commit: "cccccccccccc", committed: "2026-01-03T00:00:00Z")
            ),
            ("a.json", result(selects: 2, commit: "aaaaaaaaaaaa")),
            (
                "b.json",
                result(selects: 2, commit: "bbbbbbbbbbbb", committed: "2026-01-02T00:00:00Z")
            ),
            ("old.json", result(selects: 3, commit: nil)),
        ])
    }

    @Test func `results are in the order of their commits`() {
        #expect(history.runs.map(\.file) == ["old.json", "a.json", "b.json", "c.json"])
        #expect(history.runs.map(\.label) == ["old.json", "aaaaaaaaa", "bbbbbbbbb", "ccccccccc"])
        #expect(history.lines.count == 2)
        #expect(history.lines[1].series[0].values == [3, 2, 2, 9])
    }

    @Test func `a count that the newest result changed is reported`() {
        #expect(history.changes == ["prefetch, prefetch: statements 2 → 9"])
    }

    @Test func `the page has a line for each figure and each commit by name`() throws {
        let site = ReportSite([.history(history)]).files()
        #expect(
            site.map(\.name).sorted() == ["history.html", "history.md", "index.html", "index.md"])
        for file in site where file.name.hasPrefix("history") {
            try Golden.expect(file.text, is: file.name)
        }
        let page = try #require(site.first { $0.name == "history.html" }).text
        #expect(page.contains("Change &lt;cccccccccccc&gt;"))
        #expect(page.contains("aria-label=\"statements: 3, 2, 2, 9\""))
    }

    @Test func `an index of saved results does not name the command that wrote them`() throws {
        let site = ReportSite([.history(history)]).files()
        for file in site where file.name.hasPrefix("index") {
            #expect(!file.text.contains("./faultline"))
            #expect(file.text.contains("Written from saved results."))
        }
        let whole = ReportSite([try .bench(Samples.bench)], command: "./faultline").files()
        for file in whole where file.name.hasPrefix("index") {
            #expect(file.text.contains("./faultline"))
        }
    }

    @Test func `anchors on pages keep their names if others are added or removed`() {
        var anchors = Anchors()
        let ids = [
            anchors.id("scenario", "mb-09", "policy=error"), anchors.id("scenario", "mb-09", ""),
            anchors.id("scenario", "mb 09"), anchors.id("scenario", "Ünïcode <b>"),
        ]
        #expect(
            ids == [
                "scenario-mb-09-policy-error", "scenario-mb-09", "scenario-mb-09-2",
                "scenario-n-code-b",
            ])
    }
}
