import Foundation
import LabResults
import LabRunner
import LabSchedule
import Testing

@Suite struct CatalogueTests {
    static let results: Result<RunReport, any Error> = Result { try suite().run([scenarios]) }

    @Test func `every scenario and every cure of the catalogue passes in all cells`() throws {
        let report = try Self.results.get()
        let others = report.scenarios.filter { $0.verdict != .passed && $0.verdict != .skipped }
        #expect(
            others.isEmpty,
            "\(others.map { "\($0.name) \($0.cellText): \($0.verdict) \($0.reasons)" })")
        #expect(report.scenarios.count > 70)
    }

    @Test func `each reported bug has a defect that is witnessed with a token, and a cure`() throws
    {
        let report = try Self.results.get()
        for bug in ["mb-01", "mb-09", "mb-12", "mb-17", "mb-19", "mb-23", "mb-41", "mb-44"] {
            let cells = report.scenarios.filter { $0.name.hasPrefix(bug) }
            let defects = cells.flatMap(\.outcomes).filter { $0.grade == .defect && $0.count > 0 }
            #expect(!defects.isEmpty, "\(bug)")
            #expect(defects.allSatisfy { $0.token != nil && $0.transcript != nil })
            #expect(cells.contains { $0.name.contains("+") }, "\(bug) has no cure")
        }
    }

    @Test func `the tour's two sessions of four steps have 70 schedules, and all are counted`()
        throws
    {
        let cells = try Self.results.get().scenarios.filter {
            $0.name.hasPrefix("tour-two-sessions")
        }
        #expect(cells.count == 3)
        for cell in cells {
            #expect(cell.schedules.predicted == 70)
            #expect(cell.schedules.explored == 70)
            #expect(cell.outcomes.map(\.count).reduce(0, +) == 70)
            #expect(cell.schedules.strategy == "exhaustive")
        }
    }

    @Test func `a defect's token is replayed, twice to the same bytes`() throws {
        let cell = try #require(
            try Self.results.get().scenarios.first {
                $0.name == "mb-09-denormalised-count" && $0.cellText == "policy=objectTrump"
            })
        let defect = try #require(cell.outcomes.first { $0.grade == .defect })
        let token = try #require(defect.token)
        let replayed = try suite().replay(token, in: [scenarios])
        #expect(replayed.first == replayed.second)
        #expect(replayed.adaptations.isEmpty)
        #expect(replayed.result.outcomes[0].observed == defect.observed)
        let transcript = try #require(cell.transcripts.first { $0.id == defect.transcript })
        #expect(transcript.text == replayed.first)
        #expect(replayed.first.contains("lost update"))
    }

    @Test func `the matrix is the committed table of expectations`() throws {
        let matrix = try suite().matrix([scenarios])
        let file = try String(contentsOfFile: scenarios + "/policy-matrix.md", encoding: .utf8)
        let rows = file.split(separator: "\n").filter { $0.hasPrefix("| MB") }.map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(rows == matrix.rows.map { [$0.id] + $0.cells.map(\.summary) })
        let policies = ["error", "storeTrump", "objectTrump", "overwrite", "rollback"]
        #expect(matrix.columns.map(\.id) == policies)
        #expect(matrix.rows.count == 8)
        let linked = Set(matrix.transcripts.map(\.id))
        #expect(matrix.rows.flatMap(\.cells).allSatisfy { linked.contains($0.transcript ?? "") })
    }
}
