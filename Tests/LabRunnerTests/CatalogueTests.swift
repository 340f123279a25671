import Foundation
import LabResults
import LabRunner
import LabSchedule
import Testing

@Suite struct CatalogueTests {
    /// One run of the catalogue, shared by all tests. The run uses its own threads on all cores,
    /// because waiting tests block the threads of Swift's pool.
    static let survey: Result<ScenarioSurvey, any Error> = Result {
        var suite = suite()
        suite.options.jobs = ProcessInfo.processInfo.activeProcessorCount
        return try suite.survey([scenarios])
    }
    static var results: Result<RunReport, any Error> { survey.map(\.run) }

    @Test func `every scenario and every cure of the catalogue passes in all cells`() throws {
        let report = try Self.results.get()
        let others = report.scenarios.filter {
            ![.passed, .skipped, .pending].contains($0.verdict)
        }
        #expect(
            others.isEmpty,
            "\(others.map { "\($0.name) \($0.cellText): \($0.verdict) \($0.reasons)" })")
        #expect(report.scenarios.count > 300)
    }

    @Test func `the catalogue has no outcome that never happens`() throws {
        let report = try Self.survey.get().lint
        let text = report.warnings.map(\.description).joined(separator: "\n")
        #expect(report.warnings.isEmpty, "\(text)")
        #expect(report.files > 100)
    }

    /// The numbers of the collected bug reports. They are not consecutive.
    private static let bugs: [Int] = [
        1, 2, 3, 5, 7, 9, 11, 12, 13, 15, 16, 17, 19, 20, 22, 23, 25, 26, 27, 29, 30, 31, 33, 35,
        36, 37, 38, 40, 41, 43, 44, 45, 47, 48, 50, 52, 54, 55, 56, 58, 59, 61, 62, 64, 65, 67, 68,
        70, 72, 74, 75, 77, 78, 80, 82, 83, 85, 86, 88,
    ]

    /// The bug reports that the engine does not reproduce, as the catalogue's page lists them.
    private static let absent: Set<Int> = {
        let page = (try? String(contentsOfFile: "\(scenarios)/README.md", encoding: .utf8)) ?? ""
        let list = page.components(separatedBy: "reports are not reproduced").last ?? ""
        let end = list.components(separatedBy: "In these files")[0]
        return Set(end.matches(of: /MB-(\d+)/).compactMap { Int($0.1) })
    }()

    @Test func `all 59 reported bugs are accounted for, and at most twelve are pending`() throws {
        let report = try Self.results.get()
        let names = Set(report.scenarios.map(\.name).filter { $0.hasPrefix("mb-") })
        let numbers = Set(names.compactMap { Int($0.dropFirst(3).prefix(2)) })
        #expect(numbers == Set(Self.bugs))
        #expect(Self.bugs.count == 59)
        let pending = report.scenarios.filter { $0.verdict == .pending }
        #expect(pending.count <= 12)
        #expect(pending.allSatisfy { !$0.reasons[0].isEmpty })
    }

    @Test(arguments: bugs)
    func `a reported bug has a defect that is witnessed with a token, and a cure`(
        bug: Int
    ) throws {
        let prefix = bug < 10 ? "mb-0\(bug)-" : "mb-\(bug)-"
        let cells = try Self.results.get().scenarios.filter { $0.name.hasPrefix(prefix) }
        if cells.allSatisfy({ $0.verdict == .pending }) { return }
        let defects = cells.flatMap(\.outcomes).filter { $0.grade == .defect && $0.count > 0 }
        #expect(defects.isEmpty == Self.absent.contains(bug))
        #expect(defects.allSatisfy { $0.token != nil && $0.transcript != nil })
        #expect(cells.contains { $0.name.contains("+") }, "there is no cure")
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

    @Test func `a defect's token is replayed twice with the same bytes`() throws {
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
        let matrix = try Self.survey.get().matrix
        let file = try String(contentsOfFile: scenarios + "/policy-matrix.md", encoding: .utf8)
        let rows = file.split(separator: "\n").filter { $0.hasPrefix("| MB") }.map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(rows == matrix.rows.map { [$0.id] + $0.cells.map(\.summary) })
        let policies = ["error", "storeTrump", "objectTrump", "overwrite", "rollback"]
        #expect(matrix.columns.map(\.id) == policies)
        #expect(matrix.rows.count > 20)
        let linked = Set(matrix.transcripts.map(\.id))
        let cells = matrix.rows.flatMap(\.cells).filter { $0.verdict != .skipped }
        #expect(cells.allSatisfy { linked.contains($0.transcript ?? "") })
    }
}
