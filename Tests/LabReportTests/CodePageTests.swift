import LabResults
import ReportParts
import Testing

@testable import LabReport

@Suite struct CodePageTests {
    private func result(_ timeline: Timeline?) -> CodeResult {
        CodeResult(
            name: "two <tills> & more", schedules: ScheduleCount(explored: 7, strategy: "reduced"),
            outcomes: ["balance = 17": 3],
            witness: CodeResult.Witness(
                reasons: ["finally: TwoTillsTests.swift:14: 17 ≠ 22"],
                findings: [Samples.scenario.findings[0]], token: "lab1:t@0123abcd:-:till.desk",
                command: "FAULTLINE_REPLAY='lab1:t@0123abcd:-:till.desk' swift test",
                story: ["till  reads <Account> 1"], timeline: timeline),
            policies: ["overwrite"],
            cures: [
                .init(name: "one session after another", result: "0 of 2 fail", helps: true),
                .init(name: "mergePolicy = error", result: "2 of 6 fail", helps: false),
            ])
    }

    @Test(arguments: [Samples.timeline, nil])
    func `a page is well formed, with lanes if there are any`(timeline: Timeline?) throws {
        let file = CodePage.file(result(timeline))
        #expect(file.name == "two-tills-more.html")
        let page = try PageReader.read(file.text)
        #expect(Set(page.ids).count == page.ids.count)
        #expect(file.text.contains("class=\"lanes\"") == (timeline != nil))
        #expect(file.text.contains("reads &lt;Account&gt; 1"))
        #expect(file.text.contains("data-copy=\"FAULTLINE_REPLAY='lab1:t@0123abcd:-:till.desk'"))
        #expect(!file.text.contains("Lab.replay"))
        #expect(file.text.contains("lost update"))
    }

    @Test func `a cure that helps is marked, another one is not`() {
        let text = CodePage.file(result(nil)).text
        #expect(text.contains("<span class=\"badge good\">0 of 2 fail</span>"))
        #expect(text.contains("<td>2 of 6 fail</td>"))
        #expect(text.contains("Contexts that saved have overwrite."))
    }

    @Test func `an exploration without failures shows only its outcomes`() {
        let file = CodePage.file(
            CodeResult(
                name: "…", schedules: ScheduleCount(explored: 2, strategy: "reduced"),
                outcomes: ["": 1, "x = 1": 2]))
        #expect(file.name == "exploration.html")
        #expect(file.text.contains("passed"))
        #expect(file.text.contains("<code>x = 1</code>"))
        #expect(!file.text.contains("With one thing changed"))
    }
}
