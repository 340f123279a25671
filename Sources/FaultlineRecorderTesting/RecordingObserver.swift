import FaultlineRecorder
import Foundation
import Synchronization
import XCTest

/// If an XCTest case fails, writes the operations of its contexts as a scenario file and a
/// transcript.
///
/// Start the observer before the containers are created, for example in `override class func
/// setUp()`. If `FAULTLINE_RECORD` is set, it starts automatically.
public final class RecordingObserver: XCTestObservation {
    private static let started = Mutex<RecordingObserver?>(nil)

    private let recorder: Recorder
    private let folder: URL?
    private let values: Recorder.Values?
    private let test = Mutex<String?>(nil)

    private init(_ recorder: Recorder, to folder: URL?, values: Recorder.Values?) {
        self.recorder = recorder
        self.folder = folder
        self.values = values
    }

    /// Records all containers that are created later, and writes a file for each test that fails.
    /// Further calls do nothing.
    ///
    /// - Parameters:
    ///   - folder: the folder for the files. If nil, the folder of `FAULTLINE_RECORD`, or else a
    ///     temporary folder.
    ///   - values: the representation of values in the files.
    public static func start(to folder: URL? = nil, values: Recorder.Values = .hashed) {
        TestNames.add(XCTestWatch.self)
        start(
            Recorder.startForAll(), to: folder ?? RecordingTrait.folderOfTests, values: values)
    }

    static func start(_ recorder: Recorder, to folder: URL?, values: Recorder.Values?) {
        let made: RecordingObserver? = started.withLock { started in
            if started != nil { return nil }
            started = RecordingObserver(recorder, to: folder, values: values)
            return started
        }
        if let made { XCTestObservationCenter.shared.addTestObserver(made) }
    }

    /// The running test. XCTest runs one test at a time.
    static var currentTest: String? {
        started.withLock { $0 }?.test.withLock { $0 }
    }

    /// Called by XCTest before each test.
    public func testCaseWillStart(_ testCase: XCTestCase) {
        test.withLock { $0 = testCase.name }
    }

    /// Called by XCTest after each test.
    public func testCaseDidFinish(_ testCase: XCTestCase) { test.withLock { $0 = nil } }

    /// Writes the files at the test's first failure, on the thread that reports it.
    public func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String,
        inFile filePath: String?, atLine lineNumber: Int
    ) {
        let file = filePath.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "?"
        // The description may contain values that must not be published.
        let files = recorder.noteFailure(
            of: testCase.name, named: testCase.name,
            reason: "The test \(testCase.name) failed at \(file):\(lineNumber).", to: folder,
            values: values)
        RecordedFiles.report(files, of: testCase.name)
    }
}

/// Reports failed XCTest cases to the recorder. The recorder finds this type by its name.
package enum XCTestWatch: TestFramework {
    package static var currentTest: String? { RecordingObserver.currentTest }

    package static func watch(for recorder: Recorder) {
        RecordingObserver.start(recorder, to: nil, values: nil)
    }
}
