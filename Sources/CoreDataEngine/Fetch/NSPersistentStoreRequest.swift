import CoreDataStore
import CoreDataTrace
import Foundation

/// The kinds of requests that a store answers.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    case fetchRequestType = 1
    case saveRequestType = 2
    case batchInsertRequestType = 5
    case batchUpdateRequestType = 6
    case batchDeleteRequestType = 7
}

/// A request of a context to its coordinator: the base class of fetch requests.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores to search; nil for all.
    open var affectedStores: [NSPersistentStore]?

    /// The kind of this request.
    open var requestType: NSPersistentStoreRequestType {
        trap("\(type(of: self)) must override requestType")
    }

    /// Copies the request; changes of the copy do not affect this request.
    ///
    /// - Parameter zone: ignored.
    open func copy(with zone: NSZone? = nil) -> Any {
        trap("\(type(of: self)) must override copy(with:)")
    }
}
