import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Provides coordinators with the parts of the upper layer: the classes of objects, and migrations.
/// A coordinator looks this class up by its name.
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
    /// Creates a coordinator, or throws the model's problem.
    package static func make(
        model: NSManagedObjectModel
    ) throws(CoreDataError) -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(
            model: try ModelBinding.of(model).frozen, opening: MigratingBackendOpening())
    }
}
