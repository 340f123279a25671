import ContextHistory
import FaultlineRecorder
import Foundation

extension Lab {
    /// Finds the lost updates, blanked values, stale reads and similar effects that a recording
    /// shows.
    ///
    ///     let files = try recorder.write(to: folder)
    ///     let report = try Lab.judge(recording: files.recording.path)
    ///     #expect(report.findings.isEmpty, "\(report)")
    ///
    /// A recording is one schedule, so a report without findings does not prove that no schedule
    /// loses data. `Lab.expect(file: files.scenario.path)` runs the other orders.
    ///
    /// - Parameters:
    ///   - path: the recording's JSON file, which a recorder writes next to the scenario.
    ///   - fails: the findings that ``RecordingReport/findings`` contains; all other findings are
    ///     remarks.
    /// - Throws: an error with file, position and remedy if the file cannot be used.
    public static func judge(
        recording path: String, fails: Failing = .recordedLosses
    ) throws -> RecordingReport {
        let recording = try RecordingReading.recording(at: path)
        return RecordingReport(recording, path: path, fails: fails)
    }

    /// Finds the same effects in the operations that a recorder has kept, without a file.
    public static func judge(
        _ recorder: FaultlineRecorder.Recorder, fails: Failing = .recordedLosses
    ) -> RecordingReport {
        RecordingReport(recorder.recording, path: nil, fails: fails)
    }
}

extension Lab.Failing {
    /// The findings of ``losses``, and stale reads. A stale read returns a value that a save had
    /// replaced before the context fetched the object.
    public static var recordedLosses: Self { .named(lossNames.union(["stale read"])) }
}
