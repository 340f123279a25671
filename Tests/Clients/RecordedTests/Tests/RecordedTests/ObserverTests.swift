import FaultlineRecorderTesting
import XCTest

/// Recorded by the observer.
final class ObserverTests: XCTestCase {
    override class func setUp() { RecordingObserver.start() }

    func testLosing() throws {
        let till = try Till()
        try till.takeTogether()
        XCTAssertEqual(try till.balance(), 48_201)
    }

    func testKeeping() throws {
        let till = try Till()
        try till.takeInTurn()
        XCTAssertEqual(try till.balance(), 48_201)
    }
}

/// Recorded where `FAULTLINE_RECORD` says so.
final class PlainCases: XCTestCase {
    func testLosing() throws {
        let till = try Till()
        try till.takeTogether()
        XCTAssertEqual(try till.balance(), 48_201)
    }

    func testKeeping() throws {
        let till = try Till()
        try till.takeInTurn()
        XCTAssertEqual(try till.balance(), 48_201)
    }
}
