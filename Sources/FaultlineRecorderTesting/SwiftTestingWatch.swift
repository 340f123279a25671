import FaultlineRecorder
import Foundation
import Synchronization
import Testing

/// Reports failed tests of Swift Testing to the recorder. The recorder finds this type by its name.
package enum SwiftTestingWatch: TestFramework {
    private static let stream = Mutex<EventStream?>(nil)

    package static var currentTest: String? { Test.current.map { "\($0.id)" } }

    /// The path of the event stream of the process. The stream reports every issue, also of tests
    /// without a trait.
    static var streamPath: String? { stream.withLock { $0?.path } }

    /// Opens the stream if the process runs tests of Swift Testing.
    ///
    /// - Parameter arguments: the arguments of the process.
    static func begin(_ arguments: [String]) {
        let isRun = zip(arguments, arguments.dropFirst()).contains {
            $0 == "--testing-library" && $1 == "swift-testing"
        }
        let isExitTest = ProcessInfo.processInfo.environment.keys.contains {
            $0.hasPrefix("SWT_") && $0.contains("EXIT_TEST")
        }
        // A process has only one event stream. The recorder cannot use it if the command line does.
        let isTaken = arguments.contains { $0.hasPrefix("--event-stream-output") }
        guard isRun, !isExitTest, !isTaken else { return }
        stream.withLock { $0 = EventStream.open() }
    }

    package static func watch(for recorder: Recorder) {
        stream.withLock { $0 }?.read { take($0, recorder) }
    }

    private static func take(_ issue: EventStream.Issue, _ recorder: Recorder) {
        let line = issue.line.map { " at \($0)" } ?? ""
        let files = recorder.noteFailure(
            of: issue.test, named: issue.testName,
            reason: "The test \(issue.testName) failed\(line).")
        RecordedFiles.report(files, of: issue.testName)
    }
}
