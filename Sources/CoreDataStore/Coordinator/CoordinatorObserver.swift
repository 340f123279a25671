/// An object that is notified of a coordinator's changes. Contexts conform.
package protocol CoordinatorObserver: AnyObject {
    /// The coordinator's reference to the observer.
    var weakObserver: any WeakObserver { get }

    /// A store has left the coordinator.
    func noteRemoved(_ store: NSPersistentStore)

    /// Another context has saved, and the observer merges automatically.
    func enqueueMerge(of keys: SavedKeys, from saver: String?)
}

/// A reference to an observer that does not keep it alive.
package protocol WeakObserver: Sendable {
    /// The observer; nil once it is being released.
    var observer: (any CoordinatorObserver)? { get }

    /// Whether the observer has been freed, or is the given object. Retains nothing.
    func isGone(or object: AnyObject) -> Bool
}

extension WeakReference: WeakObserver where Target: CoordinatorObserver {
    package var observer: (any CoordinatorObserver)? { target }
}

/// Observers that are not kept alive, without duplicates.
struct WeakObservers {
    private var all: [any WeakObserver] = []

    /// The observers that are not being released.
    package var alive: [any CoordinatorObserver] { all.compactMap(\.observer) }

    package mutating func add(_ observer: some CoordinatorObserver) {
        remove(observer)
        all.append(observer.weakObserver)
    }

    package mutating func remove(_ observer: some CoordinatorObserver) {
        all.removeAll { $0.isGone(or: observer) }
    }
}
