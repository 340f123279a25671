import FaultlineRecorder
import Foundation
import Testing

/// Writes a scenario file and a transcript of the operations of a test's contexts if the test
/// fails.
///
///     @Suite(.recorded(to: folder)) struct ImporterTests { … }
///
/// The file contains the contexts of the containers that the test creates, or, if it creates none,
/// the contexts of existing containers. The issue of the test names the scenario files.
public struct RecordingTrait: TestTrait, SuiteTrait, TestScoping {
    let folder: URL?
    let values: Recorder.Values?

    /// Tests of a suite inherit the suite's trait.
    public var isRecursive: Bool { true }

    private var recorder: Recorder {
        TestNames.add(SwiftTestingWatch.self)
        return Recorder.startForAll()
    }

    /// Starts recording before the first test runs.
    public func prepare(for test: Test) async throws { _ = recorder }

    /// Runs the test, and writes the files at its first failure.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let (recorder, place) = (recorder, folder ?? Self.folderOfTests)
        let handling: IssueHandlingTrait = .compactMapIssues { issue in
            guard issue.isFailure else { return issue }
            let line = issue.sourceLocation.map { " at \($0.fileName):\($0.line)" } ?? ""
            // The issue's text may contain values that must not be published.
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

    /// The default folder for the files: the folder that `FAULTLINE_RECORD` names, or else a
    /// temporary folder.
    static var folderOfTests: URL {
        let named = ProcessInfo.processInfo.environment["FAULTLINE_RECORD"]
        if let named, !named.isEmpty { return URL(fileURLWithPath: named) }
        return FileManager.default.temporaryDirectory.appendingPathComponent("faultline-recorded")
    }
}

extension Trait where Self == RecordingTrait {
    /// If the test fails, writes its operations to the folder of `FAULTLINE_RECORD`, or else to a
    /// temporary folder. Values are hashed.
    public static var recorded: Self { RecordingTrait(folder: nil, values: nil) }

    /// If the test fails, writes its operations to a folder.
    ///
    /// - Parameters:
    ///   - folder: the folder for the files. If nil, the folder of `FAULTLINE_RECORD`, or else a
    ///     temporary folder.
    ///   - values: the representation of values in the files.
    public static func recorded(
        to folder: URL? = nil, values: Recorder.Values = .hashed
    ) -> Self {
        RecordingTrait(folder: folder, values: values)
    }
}
