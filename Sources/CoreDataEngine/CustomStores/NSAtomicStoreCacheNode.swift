import CoreDataStore
import Foundation

/// The values of one object, as an atomic store keeps them in memory.
///
/// Attributes are values, and to-one relationships are nodes. To-many relationships are sets of
/// nodes; ordered ones are arrays. Only one thread uses a node at a time, while its store loads or
/// saves.
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
