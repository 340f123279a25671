import CoreDataModel
import CoreDataStore
import Foundation

/// The values and the version of one object, as an incremental store returns them.
open class NSIncrementalStoreNode: NSObject {
    private let identifier: NSManagedObjectID
    private var values: [String: Any]
    private var number: UInt64

    /// Creates a node.
    ///
    /// - Parameters:
    ///   - values: by property name: attributes, and to-one destinations as ids or `NSNull`.
    ///   - version: a number that changes whenever a writer changes the object.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        identifier = objectID
        self.values = values
        number = version
        super.init()
    }

    /// The object's id.
    open var objectID: NSManagedObjectID { identifier }

    /// The version of the values.
    open var version: UInt64 { number }

    /// Replaces the values.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values = values
        number = version
    }

    /// The value of a property; nil if the node does not contain it.
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
