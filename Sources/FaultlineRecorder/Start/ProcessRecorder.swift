import CoreDataStore
import Synchronization

/// The recorder for every coordinator that the process creates after recording has started.
package enum ProcessRecorder: CoordinatorWatcher {
    private static let recorder = Mutex<Recorder?>(nil)

    /// Returns the recorder of the process, which the first call creates.
    package static func start(_ options: Recorder.Options) -> Recorder {
        let (started, isNew) = recorder.withLock { recorder in
            if let recorder { return (recorder, false) }
            let made = Recorder.make(options)
            recorder = made
            return (made, true)
        }
        if isNew { CoordinatorWatch.add(ProcessRecorder.self) }
        return started
    }

    /// The process's recorder; nil until it is started.
    package static var current: Recorder? { recorder.withLock { $0 } }

    package static func noteMade(_ coordinator: NSPersistentStoreCoordinator) {
        current?.follow(coordinator)
    }
}
