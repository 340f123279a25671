import CoreDataEngine
import CoreDataModel
import Synchronization

/// Allows tools to use models of other programs.
package enum ForeignModels {
    /// Disables the search for the model's classes, because this program may have an unrelated
    /// class with the same name.
    package static func expect() {
        NamedClasses.areThisPrograms.store(false, ordering: .relaxed)
    }

    /// Sets the class of all entities to `NSManagedObject`, because this program may have an
    /// unrelated class with the name of one of the model's classes.
    static func plain(_ model: NSManagedObjectModel) -> NSManagedObjectModel {
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        return model
    }
}
