import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Making a coordinator with all that stands above it: classes of objects, and migrations.
extension NSPersistentStoreCoordinator {
    /// Creates a coordinator and freezes the model.
    ///
    /// A model that cannot be used is told in the log, and is the error of every store that is
    /// added then.
    public convenience init(managedObjectModel model: NSManagedObjectModel) {
        let frozen: FrozenModel
        do throws(CoreDataError) { frozen = try ModelBinding.of(model).frozen } catch {
            EngineLog.error("the model cannot be used: \(error.message)")
            frozen = FrozenModel(refused: model, error)
        }
        self.init(model: frozen, opening: MigratingBackendOpening())
    }

    /// Creates a coordinator, or says what is wrong with the model.
    package static func make(
        model: NSManagedObjectModel
    ) throws(CoreDataError) -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(
            model: try ModelBinding.of(model).frozen, opening: MigratingBackendOpening())
    }
}
