import CoreDataStore

/// The child contexts of one context.
final class ChildContexts {
    private var contexts: [WeakReference<NSManagedObjectContext>] = []

    func add(_ context: NSManagedObjectContext) {
        contexts.removeAll { $0.isGone(or: context) }
        contexts.append(context.weakReference)
    }

    func remove(_ context: NSManagedObjectContext) {
        contexts.removeAll { $0.isGone(or: context) }
    }

    var alive: [NSManagedObjectContext] { contexts.compactMap(\.target) }

    var isEmpty: Bool { !contexts.contains { $0.target != nil } }
}
