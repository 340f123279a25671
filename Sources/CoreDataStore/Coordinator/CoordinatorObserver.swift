/// An object that is notified of a coordinator's changes. Contexts conform.
package protocol CoordinatorObserver: AnyObject {
    var weakObserver: any WeakObserver { get }

    func noteRemoved(_ store: NSPersistentStore)

    /// Another context has saved. Called if the observer merges changes automatically.
    func enqueueMerge(of keys: SavedKeys, from saver: String?)
}

package protocol WeakObserver: Sendable {
    /// The observer; nil once its deallocation has begun.
    var observer: (any CoordinatorObserver)? { get }

    /// Whether the observer was deallocated, or is the given object. The check does not retain the
    /// observer.
    func isGone(or object: AnyObject) -> Bool
}

extension WeakReference: WeakObserver where Target: CoordinatorObserver {
    package var observer: (any CoordinatorObserver)? { target }
}

/// A list of weakly referenced observers, without duplicates.
struct WeakObservers {
    private var all: [any WeakObserver] = []

    package var alive: [any CoordinatorObserver] { all.compactMap(\.observer) }

    package mutating func add(_ observer: some CoordinatorObserver) {
        remove(observer)
        all.append(observer.weakObserver)
    }

    package mutating func remove(_ observer: some CoordinatorObserver) {
        all.removeAll { $0.isGone(or: observer) }
    }
}
