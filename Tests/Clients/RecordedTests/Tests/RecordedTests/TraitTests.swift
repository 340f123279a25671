import FaultlineRecorder
import FaultlineRecorderTesting
import Foundation
import Testing

/// The trait records this test.
@Suite(.recorded) struct TraitTests {
    @Test func losing() throws {
        let till = try Till()
        try till.takeTogether()
        #expect(try till.balance() == 48_201)
    }

    @Test func keeping() throws {
        let till = try Till()
        try till.takeInTurn()
        #expect(try till.balance() == 48_201)
    }

    @Test(.recorded(values: .full)) func losingInFull() throws {
        let till = try Till()
        try till.takeTogether()
        #expect(try till.balance() == 48_201)
    }
}

/// The environment variable FAULTLINE_RECORD records this test.
@Suite struct PlainTests {
    @Test func losing() throws {
        let till = try Till()
        try till.takeTogether()
        #expect(try till.balance() == 48_201)
    }

    @Test func keeping() throws {
        let till = try Till()
        try till.takeInTurn()
        #expect(try till.balance() == 48_201)
    }

    /// The save has a conflict, but the test does not fail.
    @Test func unasserted() throws { try Till().takeTogether() }
}

/// The test starts its own recorder. It writes a file on request and after a conflict.
@Suite struct AskingTests {
    @Test(.enabled(if: folder != nil)) func asking() throws {
        let till = try Till()
        let recorder = Recorder.start(
            on: till.container, Recorder.Options(folder: Self.folder))
        try till.takeTogether()
        recorder.stop()
        try recorder.write(to: #require(Self.folder), reason: "The test asks.")
    }

    private static let folder = ProcessInfo.processInfo.environment["ASKING_FOLDER"].map {
        URL(fileURLWithPath: $0)
    }
}
