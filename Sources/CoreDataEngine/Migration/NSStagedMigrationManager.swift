import CoreDataTrace
import Foundation

/// The stages in which a store of any older version becomes one of the newest.
///
/// Given to a coordinator under `NSPersistentStoreStagedMigrationManagerOptionKey`; used by the
/// thread that adds the store.
public final class NSStagedMigrationManager: NSObject {
    /// The stages in their order.
    public let stages: [NSMigrationStage]
    /// The stack on the store, while a handler of a custom stage runs; objects of it are plain
    /// managed objects.
    public internal(set) var container: NSPersistentContainer?

    private init(all stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }

    /// Makes a manager of stages in their order.
    public convenience init(_ stages: [NSMigrationStage]) { self.init(all: stages) }

    /// Unavailable: a manager has stages.
    @available(*, unavailable, message: "Use init(_:).")
    public override init() { trap("A migration manager needs stages. Use init(_:).") }
}
