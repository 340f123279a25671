import CoreDataEngine
import CoreDataStore

/// Connects the threads of a schedule (a stage) to the stacks of a test. A stack may outlive the
/// stage, because a static property or the test's object keeps it.
protocol StackSwitching: AnyObject, Sendable {
    func queue(
        _ kind: ConfinementScope.Kind, _ own: CodeQueue, of stage: CodeStage
    ) -> any ConfinementQueue

    /// The schedule's queue to which the queue of a context forwards; nil for any other queue.
    func own(_ queue: any ConfinementQueue) -> CodeQueue?

    /// Listens to a coordinator on behalf of the running stage.
    ///
    /// - Parameter stage: the stage whose thread has created the coordinator; nil if no stage runs.
    func adopt(_ coordinator: NSPersistentStoreCoordinator, by stage: CodeStage?)

    func note(_ context: NSManagedObjectContext)

    var contexts: [NSManagedObjectContext] { get }
}
