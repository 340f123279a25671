import FaultlineRecorder
import Foundation
import Testing

/// Writes down what the contexts of a test did when the test fails, as a scenario file and a
/// transcript.
///
///     @Suite(.recorded(to: folder)) struct ImporterTests { … }
///
/// The containers that the test makes are recorded, and where it makes none, those that there were
/// before. The issue names the files.
public struct RecordingTrait: TestTrait, SuiteTrait, TestScoping {
    let folder: URL?
    let values: Recorder.Values?

    /// A suite's tests have it too.
    public var isRecursive: Bool { true }

    private var recorder: Recorder {
        TestNames.add(SwiftTestingWatch.self)
        return Recorder.startForAll()
    }

    /// Begins to record before the first test runs.
    public func prepare(for test: Test) async throws { _ = recorder }

    /// Runs the test, and writes the files at its first failure.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let (recorder, place) = (recorder, folder ?? Self.folderOfTests)
        let handling: IssueHandlingTrait = .compactMapIssues { issue in
            guard issue.isFailure else { return issue }
            let line = issue.sourceLocation.map { " at \($0.fileName):\($0.line)" } ?? ""
            // What the issue says may have values that are not for others.
            let files = recorder.noteFailure(
                of: "\(test.id)", named: test.name,
                reason: "The test \(test.name) failed\(line).", to: place, values: values)
            var told = issue
            told.comments += files.map {
                Comment(rawValue: "Recorded: ./faultline explore \($0.scenario.path)")
            }
            return told
        }
        try await handling.provideScope(for: test, testCase: testCase, performing: function)
    }

    /// Where files go that nobody has named a folder for; what `FAULTLINE_RECORD` names goes first.
    static var folderOfTests: URL {
        let named = ProcessInfo.processInfo.environment["FAULTLINE_RECORD"]
        if let named, !named.isEmpty { return URL(fileURLWithPath: named) }
        return FileManager.default.temporaryDirectory.appendingPathComponent("faultline-recorded")
    }
}

extension Trait where Self == RecordingTrait {
    /// Writes down a test that fails, with hashed values, into the folder of `FAULTLINE_RECORD` or
    /// else the temporary one.
    public static var recorded: Self { RecordingTrait(folder: nil, values: nil) }

    /// Writes down a test that fails.
    ///
    /// - Parameters:
    ///   - folder: where the files go; the folder of `FAULTLINE_RECORD` or else the temporary one
    ///     where it is nil.
    ///   - values: which values they may have.
    public static func recorded(
        to folder: URL? = nil, values: Recorder.Values = .hashed
    ) -> Self {
        RecordingTrait(folder: folder, values: values)
    }
}
