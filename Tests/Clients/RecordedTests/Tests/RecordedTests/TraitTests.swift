import FaultlineRecorder
import FaultlineRecorderTesting
import Foundation
import Testing

/// Recorded by the trait.
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

/// Recorded where `FAULTLINE_RECORD` says so.
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

    /// The save meets a conflict, and nothing fails.
    @Test func unasserted() throws { try Till().takeTogether() }
}

/// Recorded by a recorder of its own, which writes when a save conflicts and when it is asked to.
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
