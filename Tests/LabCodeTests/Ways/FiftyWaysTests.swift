import CoreData
import LabRunner
import Testing

/// Tests that the lab finds the bug in each form of concurrent code, and nothing in the form
/// without the bug.
@Suite struct FiftyWaysTests {
    private static let ways = Way.controlled.filter { !$0.isOfProcess }

    @Test(arguments: ways) func `a bug is found in it`(_ way: Way) throws {
        try way.expectBug()
    }

    @Test(arguments: ways)
    func `without the bug nothing is found in any order`(_ way: Way) throws {
        try way.expectNothing()
    }

    @Test func `nearly all forms are controlled`() {
        #expect(Way.controlled.count >= 50)
        #expect(Way.uncontrolled.count == 1)
    }
}

/// Tests of forms that use objects of the whole process. Explorations run one at a time, because
/// two of them would share these objects.
@Suite(.serialized) struct ProcessWideWaysTests {
    private static let ways = Way.controlled.filter(\.isOfProcess)

    @Test(arguments: ways) func `a bug is found in it`(_ way: Way) throws {
        try way.expectBug()
    }

    @Test(arguments: ways)
    func `without the bug nothing is found in any order`(_ way: Way) throws {
        try way.expectNothing()
    }
}

extension Way {
    fileprivate func expectBug() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try WayProgram(way: self, hasBug: true).explore()
        }
        let reasons = try #require(failure).reasons
        #expect(reasons.contains { $0.contains("== 22") })
    }

    fileprivate func expectNothing() throws {
        let report = try WayProgram(way: self, hasBug: false).explore()
        #expect(Array(report.outcomes.keys) == ["balance = 22"])
        #expect(report.schedules > 1)
    }
}
