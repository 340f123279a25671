import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Connects coordinators to the features that this module implements: object classes and
/// migrations. The coordinator finds this class by its name.
final class EngineParts: CoordinatorPartsProvider {
    static func parts(for model: NSManagedObjectModel) -> CoordinatorParts {
        let frozen: FrozenModel
        do throws(CoreDataError) { frozen = try ModelBinding.of(model).frozen } catch {
            EngineLog.error("the model cannot be used: \(error.message)")
            frozen = FrozenModel(refused: model, error)
        }
        return CoordinatorParts(model: frozen, opening: MigratingBackendOpening())
    }

    static var migrationManagerClass: AnyClass { NSMigrationManager.self }
}

extension NSPersistentStoreCoordinator {
    /// Creates a coordinator.
    ///
    /// - Throws: the reason why the model cannot be used.
    package static func make(
        model: NSManagedObjectModel
    ) throws(CoreDataError) -> NSPersistentStoreCoordinator {
        _ = try ModelBinding.of(model)
        return NSPersistentStoreCoordinator(managedObjectModel: model)
    }
}
