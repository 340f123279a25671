import CoreDataEngine
import CoreDataModel
import Synchronization

/// Models of programs other than the running one, as a tool reads them.
package enum ForeignModels {
    /// Has the engine look for no classes that the running program cannot have: one of the tool's
    /// own may have the name.
    package static func expect() {
        NamedClasses.areThisPrograms.store(false, ordering: .relaxed)
    }

    /// Has the objects of a model be plain ones, because a class of the running program may have
    /// the name of one of its classes.
    static func plain(_ model: NSManagedObjectModel) -> NSManagedObjectModel {
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        return model
    }
}
