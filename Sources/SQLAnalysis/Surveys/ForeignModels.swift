import CoreDataEngine
import Synchronization

/// Models of programs other than the running one, as a tool reads them.
package enum ForeignModels {
    /// Has the engine say nothing of classes that the running program cannot have.
    package static func expect() {
        NamedClasses.tellsOfMissing.store(false, ordering: .relaxed)
    }
}
