import LabResults
import Testing

@testable import LabReport
@testable import ReportParts

@Suite struct ViewerTests {
    private typealias Item = Timeline.Item

    @Test func `the changes of a step are reported as added, removed and different`() {
        let before = [
            Item("a", mark: "version 1", values: ["x = 1", "y = 2"]), Item("b", mark: "fault"),
            Item("c", mark: "fault"),
        ]
        let after = [
            Item("a", mark: "version 2", values: ["x = 1", "y = 3"]),
            Item("b", mark: "version 1", values: ["x = nil"]), Item("d", mark: "inserted"),
        ]
        #expect(
            LaneChart.delta(before, after) == [
                "− c", "a: version 1 → version 2, y = 2 → 3", "b: fault → version 1, x = nil",
                "+ d (inserted)",
            ])
        #expect(
            LaneChart.delta([before[1], before[2]], [before[2], before[1]]) == [
                "the same in another order"
            ])
    }

    @Test func `the steps of a finding are its own step and those that its evidence names`() {
        var finding = Samples.scenario.findings[0]
        finding.evidence = ["f2: C1 saved 2", "f2: again", "no step at all"]
        #expect(ScheduleViewer.steps(of: finding, in: Samples.timeline) == [0])
        finding.step = "~m(C1→V)"
        #expect(ScheduleViewer.steps(of: finding, in: Samples.timeline) == [0, 1])
    }

    @Test func `no text in a timeline ends the element that contains it`() throws {
        let files = ReportSite([try .run(Samples.run)]).files()
        let page = try #require(files.first { $0.name == "scenarios.html" }).text
        #expect(page.contains("name = \\\"\\u003c/script\\u003e\\\""))
        #expect(!page.contains("\"</script>"))
    }

    @Test func `a thread's lane shows the locks that it takes and waits for in its own steps`() {
        let timeline = Timeline(
            lanes: [.init(.thread, "main"), .init(.thread, "the queue of C")],
            start: [[], [Item("C", mark: "held")]],
            steps: [
                .init(
                    name: "m2^C", lane: 0, session: "main", lines: [], sql: [],
                    changes: [
                        .init(
                            lane: 0,
                            items: [Item("C", mark: "waits for C, which the queue of C holds")])
                    ]),
                .init(
                    name: "deadlock", lane: 0, session: nil,
                    lines: [.init("waits for C, which the queue of C holds")], sql: [],
                    changes: []),
            ])
        let table = LaneChart(timeline: timeline, outcome: nil).table().markup
        #expect(table.contains("+ C (waits for C, which the queue of C holds)"))
        #expect(table.contains("deadlock"))
    }

    @Test func `a result without timelines is shown by its transcripts, without scripts for more`()
        throws
    {
        var scenario = Samples.scenario
        scenario.transcripts[0].timeline = nil
        let files = ReportSite([try .run(RunReport(scenarios: [scenario]))]).files()
        let page = try #require(files.first { $0.name == "scenarios.html" }).text
        #expect(!page.contains("timelines"))
        #expect(page.contains("<summary>MB-09 under object trump</summary>"))
    }
}
