import CoreDataModel
import CoreDataStore
import Foundation

/// A custom store that assigns keys to new objects.
protocol KeyGiving: NSPersistentStore {
    /// The keys that new objects get, in their order.
    func permanentKeys(
        for objects: ContiguousArray<NSManagedObject>
    ) throws(CoreDataError) -> [Int64]
}

/// A custom store that receives requests, objects and contexts instead of plans.
///
/// Contexts check for it only if such stores are open; all other stores receive values.
protocol RequestAnswering: KeyGiving {
    /// Passes a fetch on as the program has made it.
    func answer(
        _ options: FetchRequestOptions, in context: NSManagedObjectContext
    ) throws(CoreDataError) -> [Any]
    /// A context has objects of these keys now.
    func noteRegistered(_ keys: [ObjectKey])
    /// A context has released its objects with these keys. Called on any thread.
    func noteUnregistered(_ keys: [ObjectKey])
}

/// The context that used its source last on each thread; a store's answer is for this context.
///
/// A context records itself whenever it uses its source, so the last of several nested contexts is
/// the one next to the store. Stores that receive contexts read it.
enum RequestingContext {
    private final class Box {
        weak var context: NSManagedObjectContext?
    }

    private static let key = "Faultline.RequestingContext"

    static func note(_ context: NSManagedObjectContext) {
        let values = Thread.current.threadDictionary
        if let box = values[key] as? Box {
            box.context = context
            return
        }
        let box = Box()
        box.context = context
        values[key] = box
    }

    static var current: NSManagedObjectContext? {
        (Thread.current.threadDictionary[key] as? Box)?.context
    }
}
