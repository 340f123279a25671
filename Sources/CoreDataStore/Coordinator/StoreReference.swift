/// A weak reference to a store, so that an id does not keep a removed store alive.
///
/// Each store makes one, which all ids of its objects share: a save may make ids by the thousand.
@usableFromInline package final class StoreReference {
    package weak var store: NSPersistentStore?
}

// `@unchecked Sendable` because the store sets it in its initialiser, before anybody else knows it,
// and reads of a weak reference are atomic.
extension StoreReference: @unchecked Sendable {}
