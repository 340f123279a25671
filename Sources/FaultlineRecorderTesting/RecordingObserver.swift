import FaultlineRecorder
import Foundation
import Synchronization
import XCTest

/// Writes down what the contexts of an XCTest case did when it fails.
///
/// Start it before the containers are made, such as in `override class func setUp()`; with
/// `FAULTLINE_RECORD` it starts by itself.
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

    /// Records every container from now on, and writes a file for each test that fails. Further
    /// calls do nothing.
    ///
    /// - Parameters:
    ///   - folder: where the files go; the folder of `FAULTLINE_RECORD` or else the temporary one
    ///     where it is nil.
    ///   - values: which values they may have.
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

    /// The test that runs; XCTest runs one at a time.
    static var currentTest: String? {
        started.withLock { $0 }?.test.withLock { $0 }
    }

    /// Notes which test runs.
    public func testCaseWillStart(_ testCase: XCTestCase) {
        test.withLock { $0 = testCase.name }
    }

    /// No test runs any more.
    public func testCaseDidFinish(_ testCase: XCTestCase) { test.withLock { $0 = nil } }

    /// Writes the files at the test's first failure, on the thread that tells of it.
    public func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String,
        inFile filePath: String?, atLine lineNumber: Int
    ) {
        let file = filePath.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "?"
        // The description may have values that are not for others.
        let files = recorder.noteFailure(
            of: testCase.name, named: testCase.name,
            reason: "The test \(testCase.name) failed at \(file):\(lineNumber).", to: folder,
            values: values)
        Told.files(files, of: testCase.name)
    }
}

/// Tells the recorder of XCTest cases. The recorder finds it by its name.
package enum XCTestWatch: TestFramework {
    package static var currentTest: String? { RecordingObserver.currentTest }

    package static func watch(for recorder: Recorder) {
        RecordingObserver.start(recorder, to: nil, values: nil)
    }
}
