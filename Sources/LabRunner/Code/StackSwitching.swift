import CoreDataEngine
import CoreDataStore

/// Connects a stage to the stacks of a test, which may outlive the stage. A static property or the
/// test's object may keep a stack from one schedule to the next.
protocol StackSwitching: AnyObject, Sendable {
    func queue(
        _ kind: ConfinementScope.Kind, _ own: CodeQueue, of stage: CodeStage
    ) -> any ConfinementQueue

    /// The schedule's queue behind the queue of a context; nil for any other queue.
    func own(_ queue: any ConfinementQueue) -> CodeQueue?

    /// Listens to a coordinator on behalf of the running stage.
    ///
    /// - Parameter stage: the stage whose thread has created the coordinator; nil if no stage runs.
    func adopt(_ coordinator: NSPersistentStoreCoordinator, by stage: CodeStage?)

    func note(_ context: NSManagedObjectContext)

    var contexts: [NSManagedObjectContext] { get }
}
