import CoreDataTrace
import Foundation

/// Something that is told of every coordinator that the process makes.
package protocol CoordinatorWatcher: SendableMetatype {
    /// Takes a coordinator that was just made, on the thread that made it.
    static func noteMade(_ coordinator: NSPersistentStoreCoordinator)
}

/// The recorder of a program that was started with `FAULTLINE_RECORD`, and links the product.
enum CoordinatorWatch {
    /// Found by its name, because the recorder stands above the engine and most programs have none.
    static let process: (any CoordinatorWatcher.Type)? = {
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
