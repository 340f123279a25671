import CoreDataModel
import CoreDataTrace

/// A step between two versions with work of the program's before and behind it.
///
/// The step itself is a lightweight migration.
public final class NSCustomMigrationStage: NSMigrationStage {
    /// The version before.
    public let currentModel: NSManagedObjectModelReference
    /// The version behind.
    public let nextModel: NSManagedObjectModelReference
    /// Runs before the step; the manager's container has the current model.
    public var willMigrateHandler:
        ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    /// Runs behind the step; the manager's container has the next model.
    public var didMigrateHandler:
        ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    private init(_ current: NSManagedObjectModelReference, _ next: NSManagedObjectModelReference) {
        currentModel = current
        nextModel = next
        super.init()
    }

    /// Makes a stage between two versions.
    public convenience init(
        migratingFrom currentModel: NSManagedObjectModelReference,
        to nextModel: NSManagedObjectModelReference
    ) {
        self.init(currentModel, nextModel)
    }

    /// Unavailable: a stage stands between two versions.
    @available(*, unavailable, message: "Use init(migratingFrom:to:).")
    public override init() { trap("A stage needs two models. Use init(migratingFrom:to:).") }
}
