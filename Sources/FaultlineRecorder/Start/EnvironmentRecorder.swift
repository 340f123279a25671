import CoreDataStore
import CoreDataTrace
import Foundation

/// The recorder of a program that was started with `FAULTLINE_RECORD=FOLDER` and knows nothing of
/// it. The engine finds it by its name where the first coordinator is made.
package enum EnvironmentRecorder: CoordinatorWatcher {
    private static let recorder: Recorder? = make(ProcessInfo.processInfo.environment)

    package static func noteMade(_ coordinator: NSPersistentStoreCoordinator) {
        // The process's recorder is told of those that come after it.
        recorder?.follow(coordinator)
    }

    /// Starts the recorder ahead of the first coordinator, for what watches tests.
    package static func start() -> Recorder? { recorder }

    private static func make(_ environment: [String: String]) -> Recorder? {
        guard let options = options(environment) else { return nil }
        atexit { EnvironmentRecorder.writeAtExit() }
        let recorder = ProcessRecorder.start(options)
        TestNames.watchAll(for: recorder)
        return recorder
    }

    /// What the variables ask for; what cannot be had is told in the log.
    package static func options(_ environment: [String: String]) -> Recorder.Options? {
        guard let folder = environment["FAULTLINE_RECORD"], !folder.isEmpty else { return nil }
        var options = Recorder.Options(folder: URL(fileURLWithPath: folder))
        options.name = ProcessInfo.processInfo.processName
        if let text = environment["FAULTLINE_RECORD_VALUES"] {
            if let values = Recorder.Values(rawValue: text) {
                options.values = values
            } else {
                let known = Recorder.Values.allCases.map(\.rawValue).joined(separator: ", ")
                EngineLog.error(
                    "FAULTLINE_RECORD_VALUES '\(text)' is none of \(known); hashed is used.")
            }
        }
        return options
    }

    private static func writeAtExit() {
        recorder?.stop()
        recorder?.writeByItself("The program has ended.")
        if let failure = recorder?.failure {
            EngineLog.error("what was recorded could not be written: \(failure)")
        }
    }
}
