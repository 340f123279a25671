/// Where a context's work runs.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// The old rule of one thread for one context. No context can be made with it.
    case confinementConcurrencyType = 0
    /// A serial queue of the context's own.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}
