import CoreDataEngine
import Synchronization

/// Models of programs other than the running one, as a tool reads them.
package enum ForeignModels {
    /// Has the engine look for no classes that the running program cannot have: one of the tool's
    /// own may have the name.
    package static func expect() {
        NamedClasses.areThisPrograms.store(false, ordering: .relaxed)
    }
}
