import CoreData
import LabRunner
import Testing

/// The lab controls each form of concurrent code: it finds a bug in each, and without the bug
/// nothing.
@Suite struct FiftyWaysTests {
    @Test(arguments: Way.guarding + Way.starting)
    func `a bug is found in it`(_ way: Way) throws {
        let failure = #expect(throws: CodeFailure.self) {
            try WayProgram(way: way, hasBug: true).explore()
        }
        #expect(try #require(failure).reasons.contains { $0.contains("== 22") })
    }

    @Test(arguments: Way.guarding + Way.starting)
    func `without the bug nothing is found in any order`(_ way: Way) throws {
        let report = try WayProgram(way: way, hasBug: false).explore()
        #expect(Array(report.outcomes.keys) == ["balance = 22"])
        #expect(report.schedules > 1)
    }
}
