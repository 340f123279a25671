import BenchResults
import CoreData
import CoreDataTrace

/// A persistent container with one store file and one private context.
package final class EngineStack {
    package let container: NSPersistentContainer
    /// A private context of the container, created on first use.
    package private(set) lazy var context = container.newBackgroundContext()

    /// Opens a file, and creates it if necessary.
    ///
    /// - Parameter lens: the counters, if the opening is counted too; otherwise nil.
    package init(_ file: String, _ model: NSManagedObjectModel, lens: Lens? = nil) throws {
        container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        lens?.attach(container.persistentStoreCoordinator)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: file))
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
    }

    /// Closes the file, and waits until the contexts have released its objects. Otherwise the next
    /// run would compete with the contexts' queues.
    ///
    /// - Parameter others: other contexts that still exist, parents first. Each context passes the
    ///   removal of the store on to its children.
    package func close(_ others: [NSManagedObjectContext] = []) throws {
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        for context in [context] + others { context.performAndWait {} }
    }
}

/// Counts statements, faults, conflicts and merges of coordinators.
package final class Lens {
    private let counters = Counters(keepsTexts: false)
    private let tally = StatementTally()
    private var coordinators: [NSPersistentStoreCoordinator] = []

    package init() {}

    /// Starts counting a coordinator's work. The coordinator must be idle meanwhile.
    package func attach(_ coordinator: NSPersistentStoreCoordinator) {
        coordinator.trace.add(counters)
        coordinator.trace.add(tally)
        coordinators.append(coordinator)
    }

    package func detach() {
        for coordinator in coordinators {
            coordinator.trace.remove(counters)
            coordinator.trace.remove(tally)
        }
        coordinators = []
    }

    package var events: (conflicts: Int, merges: Int) {
        let values = counters.current
        return (values.conflicts, values.merges)
    }

    package func counted() -> (BenchCounts, [StatementCount]) {
        let values = counters.current
        let counts = BenchCounts(
            statements: Dictionary(
                uniqueKeysWithValues: values.statements.map { ($0.rawValue, $1) }),
            rows: values.rows, vmSteps: values.vmSteps,
            faults: values.faultsFromStore + values.faultsFromRowCache + values.faultsFromBatch
                + values.faultsFromParent,
            rowCacheHits: values.faultsFromRowCache,
            relationshipFaults: values.relationshipFaults, prefetches: values.prefetches)
        return (counts, tally.counts)
    }
}
