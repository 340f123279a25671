import CRecorderStart
import CoreDataTrace
import FaultlineRecorder
import Foundation

/// Starts the recorder before `main` if `FAULTLINE_RECORD` is set.
///
/// - Returns: the path of the tests' event stream; nil without a stream.
@_cdecl("faultline_recorder_watch_tests") package func watchTests(
    _ count: Int32, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> UnsafeMutablePointer<CChar>? {
    guard let arguments else { return nil }
    SwiftTestingWatch.begin(
        (0..<Int(count)).compactMap { arguments[$0].map { String(cString: $0) } })
    _ = EnvironmentRecorder.start()
    return SwiftTestingWatch.streamPath.map { strdup($0) } ?? nil
}

/// Prints the paths of recorded files among the tests' output.
enum RecordedFiles {
    static func report(_ files: [Recorder.Files], of test: String) {
        for written in files {
            let line = "\(test): recorded: ./faultline explore \(written.scenario.path)\n"
            StandardStream.log(line)
        }
    }
}
