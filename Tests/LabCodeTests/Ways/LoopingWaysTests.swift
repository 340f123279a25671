import CoreData
import LabRunner
import Testing

/// Tests that the lab does not report a form of concurrent code as correct if it does not control
/// the form.
@Suite struct LoopingWaysTests {
    @Test(arguments: Way.foreign) func `a bug in it is reported`(_ way: Way) throws {
        let error = #expect(throws: (any Error).self) {
            try WayProgram(way: way, hasBug: true).explore()
        }
        #expect(!"\(try #require(error))".isEmpty)
    }
}
