import CoreDataModel
import CoreDataStore
import Foundation

/// A store of a program's own that gives keys to new objects.
protocol KeyGiving: NSPersistentStore {
    /// The keys that new objects get, in their order.
    func permanentKeys(
        for objects: ContiguousArray<NSManagedObject>
    ) throws(CoreDataError) -> [Int64]
}

/// A store of a program's own that is handed requests, objects and contexts instead of plans.
///
/// Contexts ask for it where such stores are open; all other stores are asked by values.
protocol RequestAnswering: KeyGiving {
    /// Passes a fetch on as the program has made it.
    func answer(
        _ options: FetchRequestOptions, in context: NSManagedObjectContext
    ) throws(CoreDataError) -> [Any]
    /// A context has objects of these keys now.
    func noteRegistered(_ keys: [ObjectKey])
    /// A context has let go of its objects of these keys. Called on any thread.
    func noteUnregistered(_ keys: [ObjectKey])
}

/// The context that asked last on each thread: the one that a store's answer is for.
///
/// Noted by a context whenever it turns to what it reads from, so that the innermost of nested
/// contexts is the one next to the store; read by stores that are handed contexts.
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
