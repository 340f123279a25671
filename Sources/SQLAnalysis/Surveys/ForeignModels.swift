import CoreDataEngine
import CoreDataModel
import Synchronization

/// Models of other programs, for tools.
package enum ForeignModels {
    /// Stops the engine from searching for classes: the running program may have an unrelated class
    /// with the name.
    package static func expect() {
        NamedClasses.areThisPrograms.store(false, ordering: .relaxed)
    }

    /// Makes all objects of a model plain managed objects, because the running program may have an
    /// unrelated class with the name of one of its classes.
    static func plain(_ model: NSManagedObjectModel) -> NSManagedObjectModel {
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        return model
    }
}
