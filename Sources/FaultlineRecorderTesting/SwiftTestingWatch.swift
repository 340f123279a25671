import FaultlineRecorder
import Foundation
import Testing

/// Tells the recorder of tests of Swift Testing. The recorder finds it by its name.
package enum SwiftTestingWatch: TestFramework {
    package static var currentTest: String? { Test.current.map { "\($0.id)" } }

    /// Reads the process's own event stream: the one way to learn of every issue without a trait.
    package static func watch(for recorder: Recorder) {
        let arguments = CommandLine.arguments
        let isRun = zip(arguments, arguments.dropFirst()).contains {
            $0 == "--testing-library" && $1 == "swift-testing"
        }
        let isExitTest = ProcessInfo.processInfo.environment.keys.contains {
            $0.hasPrefix("SWT_") && $0.contains("EXIT_TEST")
        }
        // A stream that somebody has asked for is theirs.
        guard isRun, !isExitTest, !arguments.contains("--event-stream-output-path"),
            let stream = EventStream.open()
        else { return }
        CommandLine.arguments += ["--event-stream-output-path", stream.path]
        stream.read { event in take(event, recorder) }
    }

    private static func take(_ event: EventStream.Issue, _ recorder: Recorder) {
        let line = event.line.map { " at \($0)" } ?? ""
        let files = recorder.noteFailure(
            of: event.test, named: event.testName,
            reason: "The test \(event.testName) failed\(line).")
        for written in files {
            print("\(event.testName): recorded: ./faultline explore \(written.scenario.path)")
        }
    }
}
