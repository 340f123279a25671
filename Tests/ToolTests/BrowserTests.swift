import Foundation
import LabResults
import TestSupport
import Testing

/// Tests of the HTML report about the scenario MB-09. They use mouse and keyboard in a browser.
@Suite(
    .enabled(if: Tool.isBuilt, "the faultline executable has not been built"),
    .enabled(
        if: Browser.isInstalled,
        "Chromium is not installed, so nobody has tried the HTML report in a browser"),
    .serialized)
struct BrowserTests {
    private static let bug = "Scenarios/policies/mb-09-denormalised-count.yaml"
    /// The result for `storeTrump`, which is the second one of the report.
    private static let place = "#scenario-mb-09-denormalised-count-policy-storetrump"
    private static let panel = place + " .panel.picked"

    /// The folder with the report, which all tests share.
    private static let report = Swift.Result { () throws -> Scratch in
        let scratch = try Scratch()
        let run = try Tool.run("explore", bug, "--report", scratch.path("report"))
        #expect(run.status == 0, "\(run.complaint)")
        return scratch
    }

    private let browser: Browser
    private let result: ScenarioResult

    init() throws {
        let scratch = try Self.report.get()
        let json = try Data(contentsOf: URL(fileURLWithPath: scratch.path("report/scenarios.json")))
        result = try JSONDecoder().decode(RunReport.self, from: json).scenarios[1]
        browser = try Browser(
            open: URL(fileURLWithPath: scratch.path("report/scenarios.html")))
    }

    private func inner(_ selector: String) throws -> String {
        try browser.text(
            "document.querySelector(\"\(selector.replacing("\"", with: "\\\""))\").innerText")
    }

    /// The HTML of a stored row, before and after the step.
    private func stored(_ row: Int) throws -> String {
        try inner("\(Self.panel) .inspector table.store tbody tr:nth-child(\(row))")
    }

    @Test func `a step under the pointer shows the state before and after it, and its SQL`() throws
    {
        #expect(result.cellText == "policy=storeTrump")
        try browser.point(at: "\(Self.panel) tr[data-step=\"3\"] td.acts")
        #expect(try inner("\(Self.panel) .inspector h4") == "f3 in C1, session first")
        let row = try stored(1).split(separator: /[\t\n]+/)
        #expect(
            row == [
                "k", "version 1", "moodCount = 1", "name = \"Iceland\"", "version 2",
                "moodCount = 2", "name = \"Iceland\"",
            ])
        #expect(try stored(3).contains("not there"))
        #expect(try inner("\(Self.panel) .inspector .sql").contains("UPDATE ZCOUNTRY SET"))
        try browser.pointNowhere()
        #expect(try inner("\(Self.panel) .inspector h4") == "s3 in C2, session second")
        #expect(browser.exceptions.isEmpty)
    }

    @Test func `arrow keys move from step to step and show the same`() throws {
        try browser.click("\(Self.panel) tr[data-step=\"3\"] button.step")
        try browser.press("ArrowUp")
        #expect(try inner("\(Self.panel) .inspector h4") == "s1 in C2, session second")
        #expect(try browser.text("document.activeElement.innerText") == "s1")
        #expect(try browser.text("document.activeElement.getAttribute('aria-pressed')") == "true")
        try browser.press("End")
        #expect(try browser.text("document.activeElement.innerText") == "s3")
        #expect(browser.exceptions.isEmpty)
    }

    @Test func `a selected outcome shows its schedule, whose token can be copied`() throws {
        let wanted = try #require(result.outcomes.first { $0.grade == .acceptable })
        #expect(try inner(Self.panel).contains("lost update"))
        try browser.click("\(Self.place) tr.pickable:nth-child(1) input")
        #expect(!(try inner(Self.panel).contains("lost update")))
        let steps = "document.querySelectorAll('\(Self.panel) button.step')"
        let names = try browser.text("Array.from(\(steps), function (b) { return b.innerText; })")
        #expect(names == "f1,f2,f3,s1,s2,s3")

        try browser.click("\(Self.panel) button[data-copy]")
        let token = try browser.clipboard()
        #expect(token == wanted.token)
        #expect(try inner("\(Self.panel) button[data-copy]") == "Copied")
        #expect(try inner("#status") == "Copied")
        let replay = try Tool.run("replay", token)
        #expect(replay.status == 0)
        #expect(replay.output.contains("observed count = 3"))
        #expect(browser.exceptions.isEmpty)
    }

    @Test func `a finding is marked in the chart until its button is pressed again`() throws {
        let marked = "document.querySelectorAll('\(Self.panel) tr.evidence button.step')"
        let names = "Array.from(\(marked), function (b) { return b.innerText; })"
        #expect(try browser.text(names) == "f3,s3")
        #expect(try browser.isTrue("document.querySelector('\(Self.panel) svg polyline.proof')"))
        try browser.click("\(Self.panel) button.overlay")
        #expect(try browser.text(names) == "")
        #expect(!(try browser.isTrue("document.querySelector('\(Self.panel) polyline.proof')")))
        #expect(try browser.isTrue("document.querySelector('\(Self.panel) svg path.flow')"))
        #expect(browser.exceptions.isEmpty)
    }

    @Test func `the page follows dark mode, and fits a narrow screen and paper`()
        throws
    {
        let paper = "getComputedStyle(document.body).backgroundColor"
        let light = try browser.text(paper)
        try keepPicture("light")
        try browser.show(scheme: "dark")
        #expect(try browser.text(paper) != light)
        try keepPicture("dark")
        try browser.show(media: "print")
        try keepPicture("print")
        let shown = "document.querySelector('\(Self.panel) .inspector').offsetHeight"
        #expect(try browser.text(shown) == "0")
        let chart = "document.querySelector('\(Self.panel) table.lanes').offsetHeight"
        #expect(try browser.isTrue("\(chart) > 100"))
        try browser.show()
        for width in [1_300, 800, 380] {
            try browser.resize(width: width, height: 800)
            let overflow = "document.documentElement.scrollWidth > innerWidth"
            #expect(!(try browser.isTrue(overflow)), "at \(width) pixels")
            try keepPicture("\(width)")
        }
    }

    /// Writes screenshots into the folder that the environment names.
    private func keepPicture(_ name: String) throws {
        guard let folder = ProcessInfo.processInfo.environment["FAULTLINE_PICTURES"] else { return }
        let file = URL(fileURLWithPath: folder).appendingPathComponent("\(name).png")
        try browser.picture(of: Self.place).write(to: file)
    }

    private static let rows = """
        Array.from(document.querySelectorAll("table[data-tools] tbody tr"))
          .filter(function (row) { return !row.hidden; })
        """

    @Test func `a long table is searched and sorted`() throws {
        let all = try browser.text("\(Self.rows).length")
        _ = try browser.text(
            """
            (function () {
              var field = document.querySelector(".tools input");
              field.value = "storetrump";
              field.dispatchEvent(new Event("input"));
              return field.value;
            })()
            """)
        let found =
            "\(Self.rows).every(function (row) { return /storeTrump/.test(row.innerText); })"
        #expect(try browser.isTrue(found))
        let left = try browser.text("\(Self.rows).length")
        #expect(left != all && left != "0")
        #expect(try inner(".tools").contains("\(left) of \(all) rows"))
        _ = try browser.text(
            """
            (function () {
              var field = document.querySelector(".tools input");
              field.value = "";
              field.dispatchEvent(new Event("input"));
              return field.value;
            })()
            """)
        #expect(try browser.text("\(Self.rows).length") == all)
        try browser.click("table[data-tools] thead th:nth-child(4) button")
        let numbers = "\(Self.rows).map(function (row) { return +row.cells[3].innerText; })"
        let isSorted =
            "\(numbers).every(function (n, i, all) { return i === 0 || all[i - 1] <= n; })"
        #expect(try browser.isTrue(isSorted))
    }

    /// Every control has a name. Every table has a caption or a label.
    @Test func `screen readers find a name for every part of the page`() throws {
        let nameless = """
            Array.from(document.querySelectorAll("button, input, a, table, [role=region]"))
              .filter(function (part) {
                return !(part.innerText || "").trim() && !part.getAttribute("aria-label");
              }).length
            """
        #expect(try browser.text(nameless) == "0")
        let uncaptioned = "document.querySelectorAll('table:not(:has(caption))').length"
        #expect(try browser.text(uncaptioned) == "0")
    }
}
