import CoreDataStore
import CoreDataTrace
import Foundation

/// Records a program that was started with `FAULTLINE_RECORD=FOLDER`, without code in the program.
/// The engine finds this type by its name when it creates the first coordinator.
package enum EnvironmentRecorder: CoordinatorWatcher {
    private static let recorder: Recorder? = make(ProcessInfo.processInfo.environment)

    package static func noteMade(_ coordinator: NSPersistentStoreCoordinator) {
        // The recorder follows later coordinators automatically.
        recorder?.follow(coordinator)
    }

    /// Starts the recorder before the first coordinator is created. Observers of tests call it.
    package static func start() -> Recorder? { recorder }

    private static func make(_ environment: [String: String]) -> Recorder? {
        guard let options = options(environment) else { return nil }
        atexit { EnvironmentRecorder.writeAtExit() }
        let recorder = ProcessRecorder.start(options)
        TestNames.watchAll(for: recorder)
        return recorder
    }

    /// The options in the environment. Invalid values are reported in the log.
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
                    "FAULTLINE_RECORD_VALUES '\(text)' is not one of \(known); hashed is used.")
            }
        }
        return options
    }

    private static func writeAtExit() {
        recorder?.stop()
        recorder?.writeByItself("The program has ended.")
        if let failure = recorder?.failure {
            EngineLog.error("the recording could not be written: \(failure)")
        }
    }
}
