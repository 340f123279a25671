import CoreData
import LabRunner
import Testing

/// Forms of concurrent code that the lab does not control. None of them may be reported as correct.
@Suite struct LoopingWaysTests {
    @Test(arguments: Way.foreign) func `a bug in it is reported`(_ way: Way) throws {
        let error = #expect(throws: (any Error).self) {
            try WayProgram(way: way, hasBug: true).explore()
        }
        #expect(!"\(try #require(error))".isEmpty)
    }
}
