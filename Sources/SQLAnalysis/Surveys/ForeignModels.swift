import CoreDataEngine
import CoreDataModel
import Synchronization

/// Prepares models of other programs for tools.
package enum ForeignModels {
    /// Prevents that the engine searches for the model's classes, because this program may have an
    /// unrelated class with the same name.
    package static func expect() {
        NamedClasses.areThisPrograms.store(false, ordering: .relaxed)
    }

    /// Makes all objects of a model plain managed objects, because this program may have an
    /// unrelated class with the name of one of the model's classes.
    static func plain(_ model: NSManagedObjectModel) -> NSManagedObjectModel {
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        return model
    }
}
