import Synchronization

/// A weak reference to a store, so that an id does not keep a removed store alive.
///
/// The ids of all objects of a store share one reference. After the store was opened at another
/// location, it refers to the new store object.
@usableFromInline package final class StoreReference: Sendable {
    private struct Weak {
        weak var store: NSPersistentStore?
    }

    private let guarded = Mutex(Weak())

    package var store: NSPersistentStore? {
        get { guarded.withLock { $0.store } }
        set { guarded.withLock { $0.store = newValue } }
    }
}
