import CoreData
import LabRunner
import Testing

/// Each way of writing concurrent code comes under the lab: a bug is found in it, and without the
/// bug nothing is.
@Suite struct FiftyWaysTests {
    @Test(arguments: Way.guarding + Way.starting)
    func `a bug is found in it`(_ way: Way) throws {
        let failure = #expect(throws: CodeFailure.self) {
            try WayProgram(way: way, hasBug: true).explore()
        }
        #expect(try #require(failure).reasons.contains { $0.contains("== 22") })
    }

    @Test(arguments: Way.guarding + Way.starting)
    func `without the bug nothing is found, whoever is first`(_ way: Way) throws {
        let report = try WayProgram(way: way, hasBug: false).explore()
        #expect(Array(report.outcomes.keys) == ["balance = 22"])
        #expect(report.schedules > 1)
    }
}
