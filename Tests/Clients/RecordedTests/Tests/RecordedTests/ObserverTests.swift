import FaultlineRecorderTesting
import XCTest

/// The test observer records this test.
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

/// The environment variable FAULTLINE_RECORD records this test.
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
