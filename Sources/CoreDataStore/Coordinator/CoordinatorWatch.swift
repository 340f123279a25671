import CoreDataTrace
import Foundation
import Synchronization

/// Something that is told of every coordinator that the process makes.
package protocol CoordinatorWatcher: SendableMetatype {
    /// Takes a coordinator that was just made, on the thread that made it.
    static func noteMade(_ coordinator: NSPersistentStoreCoordinator)
}

/// Who is told of every coordinator that the process makes.
package enum CoordinatorWatch {
    private static let added = Mutex<[any CoordinatorWatcher.Type]>([])

    /// Tells a watcher of every coordinator that is made from now on.
    package static func add(_ watcher: any CoordinatorWatcher.Type) {
        added.withLock { $0.append(watcher) }
    }

    static func noteMade(_ coordinator: NSPersistentStoreCoordinator) {
        process?.noteMade(coordinator)
        for watcher in added.withLock({ $0 }) { watcher.noteMade(coordinator) }
    }

    /// The recorder of a program that was started with `FAULTLINE_RECORD`, and links the product.
    ///
    /// Found by its name, because the recorder stands above the engine and most programs have none.
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
