import CoreDataEngine
import CoreDataModel
import Synchronization

/// Allows tools to use models of other programs.
package enum ForeignModels {
    /// Turns off the search for the model's classes: this program may have an unrelated class of
    /// the same name.
    package static func expect() {
        NamedClasses.areThisPrograms.store(false, ordering: .relaxed)
    }

    /// Sets the class of all entities to `NSManagedObject`: this program may have an unrelated
    /// class of the same name.
    static func plain(_ model: NSManagedObjectModel) -> NSManagedObjectModel {
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        return model
    }
}
