import CoreDataModel
import CoreDataStore

/// Making a coordinator with all that stands above it: classes of objects, and migrations.
extension NSPersistentStoreCoordinator {
    /// Creates a coordinator and freezes the model.
    ///
    /// Traps with all findings when the model is not valid; ``make(model:)`` throws instead.
    public convenience init(managedObjectModel model: NSManagedObjectModel) {
        let binding = orTrap { () throws(CoreDataError) in try ModelBinding.of(model) }
        self.init(model: binding.frozen, opening: MigratingBackendOpening())
    }

    /// Creates a coordinator, or says what is wrong with the model.
    package static func make(
        model: NSManagedObjectModel
    ) throws(CoreDataError) -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(
            model: try ModelBinding.of(model).frozen, opening: MigratingBackendOpening())
    }
}
