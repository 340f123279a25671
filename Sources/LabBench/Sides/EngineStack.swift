// Owns the opening and closing of a stack on a file, and the counters that may listen to it.

import CoreData
import CoreDataTrace
import LabResults

/// A container on one file with one private context.
final class EngineStack {
    let container: NSPersistentContainer
    let context: NSManagedObjectContext
    private let counters = Counters(keepsTexts: false)
    private let tally = StatementTally()

    /// Opens a file, or makes it.
    init(_ file: String, _ model: NSManagedObjectModel) throws {
        container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: file))
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        context = container.newBackgroundContext()
    }

    /// Begins to count. Nothing may run on the stack meanwhile.
    func startCounting() {
        container.persistentStoreCoordinator.trace.add(counters)
        container.persistentStoreCoordinator.trace.add(tally)
    }

    /// Stops counting and says what was counted.
    func stopCounting() -> (BenchCounts, [StatementCount]) {
        container.persistentStoreCoordinator.trace.remove(counters)
        container.persistentStoreCoordinator.trace.remove(tally)
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

    /// Closes the file, so that everything written stands in it.
    func close() throws {
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}
