import CoreData
import LabRunner
import Testing

/// The lab does not control these forms of concurrent code. None of them may be reported as
/// correct.
@Suite struct LoopingWaysTests {
    @Test(arguments: Way.foreign) func `a bug in it is reported`(_ way: Way) throws {
        let error = #expect(throws: (any Error).self) {
            try WayProgram(way: way, hasBug: true).explore()
        }
        #expect(!"\(try #require(error))".isEmpty)
    }
}
