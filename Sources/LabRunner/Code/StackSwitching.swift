import CoreDataEngine
import CoreDataStore

/// Stands between a stage and stacks that may outlive it: a test's own, which a static property or
/// the test's object keeps from one schedule to the next.
protocol StackSwitching: AnyObject, Sendable {
    /// The queue for something that a thread of the stage makes.
    func queue(
        _ kind: ConfinementScope.Kind, _ own: CodeQueue, of stage: CodeStage
    ) -> any ConfinementQueue

    /// The schedule's queue behind that of a context; nil for another one.
    func own(_ queue: any ConfinementQueue) -> CodeQueue?

    /// Listens to a coordinator on behalf of whichever stage runs.
    ///
    /// - Parameter stage: whose thread has made it; nil where none runs.
    func adopt(_ coordinator: NSPersistentStoreCoordinator, by stage: CodeStage?)

    /// A context has been made.
    func note(_ context: NSManagedObjectContext)

    /// The contexts that live.
    var contexts: [NSManagedObjectContext] { get }
}
