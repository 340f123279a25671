import LabXCTest
import XCTest

@testable import Notes

/// Only the base class differs from an ordinary test. The tests are explored in every run.
final class ExplicitTests: ExploredTestCase {
    override class var schedules: Int { 25 }

    private let store = NoteStore()

    func testOneTitle() {
        let done = expectation(description: "one")
        store.add("a") { _ in done.fulfill() }
        wait(for: [done], timeout: 60)
        XCTAssertEqual(store.titles(), ["a"])
    }
}
