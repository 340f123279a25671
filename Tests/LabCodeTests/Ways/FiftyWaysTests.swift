import CoreData
import LabRunner
import Testing

/// The lab controls each form of concurrent code: it finds a bug in each, and without the bug
/// nothing.
@Suite struct FiftyWaysTests {
    /// The forms that the lab does not control reliably yet; ExploringCode.md lists them.
    private static let uncontrolled: Set = [
        "an OperationQueue of one, waited for", "MainActor.run", "Mutex",
        "pthread_rwlock_t, written", "a continuation that a foreign thread resumes",
        "an observer on an operation queue", "an observer on the main queue",
        "a semaphore with a time-out",
    ]

    private func expectControl(of way: Way, _ body: () throws -> Void) throws {
        try withKnownIssue("not controlled reliably", isIntermittent: true) {
            try body()
        } when: {
            Self.uncontrolled.contains(way.name)
        }
    }

    @Test(arguments: Way.guarding + Way.starting)
    func `a bug is found in it`(_ way: Way) throws {
        try expectControl(of: way) {
            let failure = #expect(throws: CodeFailure.self) {
                try WayProgram(way: way, hasBug: true).explore()
            }
            let reasons = try #require(failure).reasons
            #expect(reasons.contains { $0.contains("== 22") })
        }
    }

    @Test(arguments: Way.guarding + Way.starting)
    func `without the bug nothing is found in any order`(_ way: Way) throws {
        try expectControl(of: way) {
            let report = try WayProgram(way: way, hasBug: false).explore()
            #expect(Array(report.outcomes.keys) == ["balance = 22"])
            #expect(report.schedules > 1)
        }
    }

    @Test func `each form that is not controlled is one of the forms`() {
        let names = Set((Way.guarding + Way.starting).map(\.name))
        #expect(Self.uncontrolled.isSubset(of: names))
    }
}
