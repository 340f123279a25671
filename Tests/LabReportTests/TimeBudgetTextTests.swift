import BenchResults
import LabFiles
import LabResults
import Testing

@testable import BenchReporting
@testable import LabReport
@testable import ReportParts

/// Tests that a report with a time budget states how much of the work was done.
@Suite struct TimeBudgetTextTests {
    private let budget =
        "60 s budget; 12 timed samples, 3 for each side of a strategy; minimum 3, maximum 5; "
        + "58.2 s spent"

    @Test func `every form of a bench report states the number of samples within the budget`()
        throws
    {
        let report = Samples.benchInTime
        #expect(BenchText(report).text().contains("\(budget).\n"))
        #expect(BenchMarkdown.page(report).contains("seed 7.\n\(budget).\n"))
        #expect(BenchText(report).short().contains("\(budget).\n"))
        let site = ReportSite([try .bench(report)]).files()
        #expect(site.contains { $0.name == "bench.html" && $0.text.contains("\(budget).") })
        #expect(try ResultFile.text(report).contains("\"spentSeconds\" : 58.23"))
    }

    @Test func `a report says that the minimum of rounds exceeded the budget`() {
        var report = Samples.benchInTime
        report.timeBudget?.spentSeconds = 72.46
        let text = BenchText(report).text()
        #expect(
            text.contains(
                "72.5 s spent, because the counts and the minimum take longer than the budget.\n"))
        #expect(!BenchText(Samples.bench).text().contains("budget"))
    }

    @Test func `different numbers of samples are reported as a range`() {
        var report = Samples.benchInTime
        let more: [UInt64] = [1, 2, 3, 4, 5]
        report.results[0].strategies[1].time?.samplesNanoseconds = more
        report.results[0].strategies[1].twin?.time?.samplesNanoseconds = more
        #expect(
            BenchText(report).text().contains(
                "60 s budget; 16 timed samples, 3 to 5 for each side of a strategy;"))
    }

    @Test func `a report of attacks states the number of attempts within the budget`() {
        var report = Samples.torture
        #expect(
            TortureText(report).text() == """
                kills: 1,400 attempts, minimum 18 in 9.8 s · 1,300 kills, 1,400 victims · 2 failures
                  attempt 7: a save is gone
                    a < b
                  attempt 8: a file cannot be opened
                processes: 4 attempts, minimum 4 in 50 s · 0 failures
                60 s budget; 1,404 attempts; minimum 22; 59.8 s spent.

                """)
        report.parts[1].seconds = 70
        let why = "79.8 s spent, because the minimum takes longer than the budget.\n"
        #expect(TortureText(report).text().hasSuffix(why))
        report.timeBudgetSeconds = nil
        report.parts[0].floor = nil
        let text = TortureText(report).text()
        #expect(text.hasPrefix("kills: 1,400 attempts in 9.8 s ·") && !text.contains("budget"))
    }
}
