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

/// What a context asks of its coordinator: the base class of fetch requests.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores that are asked; nil for all.
    open var affectedStores: [NSPersistentStore]?

    /// What kind of request this is.
    open var requestType: NSPersistentStoreRequestType {
        trap("\(type(of: self)) must override requestType")
    }

    /// Copies the request; the copy can be changed without touching this one.
    ///
    /// - Parameter zone: ignored.
    open func copy(with zone: NSZone? = nil) -> Any {
        trap("\(type(of: self)) must override copy(with:)")
    }
}
