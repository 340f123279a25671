import CoreDataModel
import CoreDataTrace

/// A migration step between two versions, with handlers of the program that run before and after
/// it.
///
/// The step itself is a lightweight migration.
public final class NSCustomMigrationStage: NSMigrationStage {
    /// The version before the step.
    public let currentModel: NSManagedObjectModelReference
    /// The version after the step.
    public let nextModel: NSManagedObjectModelReference
    /// Runs before the step; the manager's container has the current model.
    public var willMigrateHandler:
        ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    /// Runs after the step; the manager's container has the next model.
    public var didMigrateHandler:
        ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    private init(_ current: NSManagedObjectModelReference, _ next: NSManagedObjectModelReference) {
        currentModel = current
        nextModel = next
        super.init()
    }

    /// Creates a stage between two versions.
    public convenience init(
        migratingFrom currentModel: NSManagedObjectModelReference,
        to nextModel: NSManagedObjectModelReference
    ) {
        self.init(currentModel, nextModel)
    }

    /// Unavailable: a stage needs two versions.
    @available(*, unavailable, message: "Use init(migratingFrom:to:).")
    public override init() { trap("A stage needs two models. Use init(migratingFrom:to:).") }
}
