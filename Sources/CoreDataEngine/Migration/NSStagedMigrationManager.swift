import CoreDataTrace
import Foundation

/// The stages that migrate a store of any older version to the newest.
///
/// A coordinator receives the manager under `NSPersistentStoreStagedMigrationManagerOptionKey`.
/// Only the thread that adds the store uses it.
public final class NSStagedMigrationManager: NSObject {
    /// The stages in their order.
    public let stages: [NSMigrationStage]
    /// A stack with the store, while a handler of a custom stage runs; its objects are plain
    /// managed objects.
    public internal(set) var container: NSPersistentContainer?

    private init(all stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }

    /// Creates a manager of stages in their order.
    public convenience init(_ stages: [NSMigrationStage]) { self.init(all: stages) }

    /// Unavailable: a manager needs stages.
    @available(*, unavailable, message: "Use init(_:).")
    public override init() { trap("A migration manager needs stages. Use init(_:).") }
}
