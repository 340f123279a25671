import BenchReporting
import Foundation
import LabResults
import Testing

@testable import LabReport
@testable import ReportParts

@Suite struct SiteTests {
    private static let expectation = MatrixExpectation(Samples.matrix)

    private func files() throws -> [ReportFile] {
        let check = ExpectationCheck(
            Samples.matrix, with: Self.expectation, file: "Scenarios/Expected/policy-matrix.md")
        return ReportSite([
            try .matrix(Samples.matrix, check: check), try .run(Samples.run),
            try .bench(Samples.bench),
        ]).files()
    }

    @Test func `a report folder has an index and each page in three forms`() throws {
        let names = try files().map(\.name).sorted()
        #expect(
            names == [
                "bench.html", "bench.json", "bench.md", "index.html", "index.md", "matrix.html",
                "matrix.json", "matrix.md", "scenarios.html", "scenarios.json", "scenarios.md",
            ])
    }

    @Test func `equal results give equal bytes, which are the committed ones`() throws {
        let first = try files()
        #expect(try files() == first)
        for file in first { try Golden.expect(file.text, is: file.name) }
    }

    @Test func `every HTML page is well formed, with unique ids and links that lead somewhere`()
        throws
    {
        let all = try files()
        for file in all where file.name.hasSuffix(".html") {
            let page = try PageReader.read(file.text)
            #expect(Set(page.ids).count == page.ids.count, "\(file.name): an id twice")
            for link in page.links {
                if link.hasPrefix("#") {
                    #expect(page.ids.contains(String(link.dropFirst())), "\(file.name): \(link)")
                } else if !link.hasPrefix("https://") {
                    #expect(all.contains { $0.name == link }, "\(file.name): \(link)")
                }
            }
        }
    }

    @Test func `an HTML page loads nothing from elsewhere`() throws {
        for file in try files() where file.name.hasSuffix(".html") {
            for loader in ["src=", "<link", "@import", "url(", "<iframe"] {
                #expect(!file.text.contains(loader), "\(file.name) has \(loader)")
            }
        }
    }

    @Test func `text with a meaning in HTML is escaped whatever its source`() throws {
        let hostile = "<script>alert(\"x\")</script> & 'y' \u{1}"
        var scenario = Samples.scenario
        scenario.name = hostile
        scenario.sentence = hostile
        scenario.reasons = [hostile]
        scenario.outcomes[0].reason = hostile
        scenario.transcripts[0].text = hostile
        scenario.findings[0].prose = hostile
        let site = ReportSite([try .run(RunReport(scenarios: [scenario]))]).files()
        let page = try #require(site.first { $0.name == "scenarios.html" })
        #expect(!page.text.contains("<script>alert"))
        #expect(page.text.contains("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp;"))
        _ = try PageReader.read(page.text)
    }

    @Test func `each cell of the matrix links to its transcript on the page`() throws {
        let page = try #require(try files().first { $0.name == "matrix.html" }).text
        #expect(page.contains("<a href=\"#mb-09-object-trump\""))
        #expect(page.contains("<section id=\"mb-09-object-trump\">"))
        #expect(page.contains("error 133020"))
    }

    @Test func `an empty report folder says so without failing`() throws {
        let site = ReportSite([try .run(RunReport(scenarios: []))]).files()
        #expect(site.first { $0.name == "scenarios.md" }?.text.contains("nothing ran") == true)
    }
}
