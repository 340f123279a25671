/// The queue that runs a context's work.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// The obsolete type that confines a context to one thread. No context can be created with it.
    case confinementConcurrencyType = 0
    /// A private serial queue.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}
