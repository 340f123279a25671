import CoreDataEngine
import CoreDataStore

/// Connects a stage to the stacks of a test, which may outlive the stage: a static property or the
/// test's object may keep them from one schedule to the next.
protocol StackSwitching: AnyObject, Sendable {
    /// The queue for an object that a thread of the stage creates.
    func queue(
        _ kind: ConfinementScope.Kind, _ own: CodeQueue, of stage: CodeStage
    ) -> any ConfinementQueue

    /// The schedule's queue behind the queue of a context; nil for any other queue.
    func own(_ queue: any ConfinementQueue) -> CodeQueue?

    /// Listens to a coordinator on behalf of the running stage.
    ///
    /// - Parameter stage: the stage whose thread has created the coordinator; nil if no stage runs.
    func adopt(_ coordinator: NSPersistentStoreCoordinator, by stage: CodeStage?)

    /// Receives a context that has been created.
    func note(_ context: NSManagedObjectContext)

    /// The contexts that still exist.
    var contexts: [NSManagedObjectContext] { get }
}
