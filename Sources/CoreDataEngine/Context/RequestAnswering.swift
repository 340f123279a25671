import CoreDataModel
import CoreDataStore
import Foundation

/// A custom store that assigns keys to new objects.
protocol KeyGiving: NSPersistentStore {
    /// Returns the keys for new objects, in the order of the objects.
    func permanentKeys(
        for objects: ContiguousArray<NSManagedObject>
    ) throws(CoreDataError) -> [Int64]
}

/// A custom store that receives requests, objects and contexts. All other stores receive plans,
/// which contain only values.
///
/// Contexts look for such a store only if one is open.
protocol RequestAnswering: KeyGiving {
    /// Answers a fetch with exactly the options that the program has set.
    func answer(
        _ options: FetchRequestOptions, in context: NSManagedObjectContext
    ) throws(CoreDataError) -> [Any]
    /// Called when a context has registered objects with these keys.
    func noteRegistered(_ keys: [ObjectKey])
    /// Called when a context has released its objects with these keys, on any thread.
    func noteUnregistered(_ keys: [ObjectKey])
}

/// The context for which a custom store answers a request, for each thread.
///
/// A context records itself whenever it sends a request to its coordinator or parent. If the
/// request passes through nested contexts, the root context records itself last. Stores that
/// receive contexts read this value.
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
