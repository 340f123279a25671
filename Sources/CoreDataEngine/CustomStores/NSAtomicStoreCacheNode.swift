import CoreDataStore
import Foundation

/// The values of one object, as an atomic store keeps them in memory.
///
/// Attributes are values; relationships are nodes, to-many ones sets of nodes or, where they are
/// ordered, arrays. Used by one thread at a time, while its store loads or saves.
open class NSAtomicStoreCacheNode: NSObject {
    private let identifier: NSManagedObjectID
    private var cache: NSMutableDictionary?

    /// Makes a node without values.
    public init(objectID moid: NSManagedObjectID) {
        identifier = moid
        super.init()
    }

    /// The id of the object, made by `objectID(for:withReferenceObject:)` of the store.
    open var objectID: NSManagedObjectID { identifier }

    /// The values by property name; nil before there are any.
    open var propertyCache: NSMutableDictionary? {
        get { cache }
        set { cache = newValue }
    }

    /// The value of a property; nil where there is none.
    open func value(forKey key: String) -> Any? {
        let value = propertyCache?[key]
        return value is NSNull ? nil : value
    }

    /// Sets the value of a property; nil takes it out.
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
