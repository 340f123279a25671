import CoreDataStore
import Foundation

/// The values of one object, as an atomic store keeps them in memory.
///
/// Attributes are values. To-one relationships are nodes, to-many relationships are sets of nodes,
/// and ordered ones are arrays. Used by one thread at a time, while its store loads or saves.
open class NSAtomicStoreCacheNode: NSObject {
    private let identifier: NSManagedObjectID
    private var cache: NSMutableDictionary?

    /// Creates a node without values.
    public init(objectID moid: NSManagedObjectID) {
        identifier = moid
        super.init()
    }

    /// The id of the object, created by `objectID(for:withReferenceObject:)` of the store.
    open var objectID: NSManagedObjectID { identifier }

    /// The values by property name; nil until a value is set.
    open var propertyCache: NSMutableDictionary? {
        get { cache }
        set { cache = newValue }
    }

    /// The value of a property; nil if it has none.
    open func value(forKey key: String) -> Any? {
        let value = propertyCache?[key]
        return value is NSNull ? nil : value
    }

    /// Sets the value of a property; nil removes it.
    open func setValue(_ value: Any?, forKey key: String) {
        guard let value else {
            propertyCache?.removeObject(forKey: key)
            return
        }
        let values = propertyCache ?? NSMutableDictionary()
        values[key] = value
        propertyCache = values
    }
}
