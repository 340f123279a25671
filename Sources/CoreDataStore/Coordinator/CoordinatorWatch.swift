import CoreDataTrace
import Foundation
import Synchronization

/// An observer of every coordinator that the process creates.
package protocol CoordinatorWatcher: SendableMetatype {
    /// Receives a new coordinator, on the thread that created it.
    static func noteMade(_ coordinator: NSPersistentStoreCoordinator)
}

/// The observers of every coordinator that the process creates.
package enum CoordinatorWatch {
    private static let added = Mutex<[any CoordinatorWatcher.Type]>([])

    package static func add(_ watcher: any CoordinatorWatcher.Type) {
        added.withLock { $0.append(watcher) }
    }

    static func noteMade(_ coordinator: NSPersistentStoreCoordinator) {
        process?.noteMade(coordinator)
        for watcher in added.withLock({ $0 }) { watcher.noteMade(coordinator) }
    }

    /// The recorder, if the program was started with `FAULTLINE_RECORD` and links the recorder's
    /// product.
    ///
    /// Looked up by name, because the recorder is above the engine and most programs do not link
    /// it.
    private static let process: (any CoordinatorWatcher.Type)? = {
        guard ProcessInfo.processInfo.environment["FAULTLINE_RECORD"]?.isEmpty == false else {
            return nil
        }
        let found = _typeByName("17FaultlineRecorder19EnvironmentRecorderO")
        if let watcher = found as? any CoordinatorWatcher.Type { return watcher }
        EngineLog.error(
            "FAULTLINE_RECORD is set, but this program does not link the product"
                + " FaultlineRecorder; nothing is recorded.")
        return nil
    }()
}
