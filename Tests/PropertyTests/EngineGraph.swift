import CoreData
import CoreDataEngine
import CoreDataStore

/// The object graph in the engine, with contexts over one in-memory store. The numbers of the
/// reference identify the objects.
///
/// Only the public API is used. Every call runs on the queue of its context.
final class EngineGraph {
    typealias Identity = ReferenceGraph.Identity

    let arrangement: Arrangement
    let coordinator: NSPersistentStoreCoordinator
    let contexts: [NSManagedObjectContext]
    /// The objects of each context to which the sequence keeps a reference.
    var handles: [[Identity: NSManagedObject]]
    private(set) var savedIDs: [Identity: NSManagedObjectID] = [:]

    init(_ arrangement: Arrangement, model: NSManagedObjectModel) throws {
        self.arrangement = arrangement
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: arrangement.isInMemory ? NSInMemoryStoreType : NSSQLiteStoreType,
            configurationName: nil,
            at: arrangement.isInMemory ? nil : URL(fileURLWithPath: "/dev/null"), options: nil)
        var made: [NSManagedObjectContext] = []
        for (number, parent) in arrangement.parents.enumerated() {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.name = "\(number)"
            context.undoManager = UndoManager()
            context.undoManager?.groupsByEvent = false
            context.retainsRegisteredObjects = arrangement.retainsObjects
            if let parent {
                context.parent = made[parent]
                context.automaticallyMergesChangesFromParent = arrangement.mergesInChildren
            } else {
                context.persistentStoreCoordinator = coordinator
                context.automaticallyMergesChangesFromParent = arrangement.delivery == .automatic
            }
            made.append(context)
        }
        contexts = made
        handles = Array(repeating: [:], count: made.count)
    }

    /// The object with this number. Without a reference, it is found by its id in the parent or
    /// store.
    func object(_ identity: Identity, in number: Int) -> NSManagedObject? {
        if let held = handles[number][identity], held.managedObjectContext != nil { return held }
        let context = contexts[number]
        let object = context.performAndWait {
            inserted(identity, in: context)
                ?? id(of: identity, for: number).map(context.object(with:))
        }
        handles[number][identity] = object
        return object
    }

    /// The object with this number among the unsaved ones of a context. After a redo, only its
    /// context has registered the object.
    private func inserted(
        _ identity: Identity, in context: NSManagedObjectContext
    ) -> NSManagedObject? {
        context.insertedObjects.first {
            ($0.value(forKey: "identity") as? NSNumber)?.intValue == identity
        }
    }

    private func id(of identity: Identity, for number: Int) -> NSManagedObjectID? {
        if let parent = arrangement.parents[number] {
            return object(identity, in: parent)?.objectID
        }
        return savedIDs[identity]
    }

    func insert(_ kind: ReferenceGraph.Kind, _ identity: Identity, in number: Int) {
        let context = contexts[number]
        context.performAndWait {
            let object = NSEntityDescription.insertNewObject(
                forEntityName: kind.entityName(of: identity), into: context)
            object.setValue(NSNumber(value: identity), forKey: "identity")
            handles[number][identity] = object
        }
    }

    /// Runs a change that one undo reverts.
    func change(_ number: Int, _ body: () throws -> Void) rethrows {
        let context = contexts[number]
        context.performAndWait {
            context.processPendingChanges()
            context.undoManager?.beginUndoGrouping()
        }
        try body()
        context.performAndWait {
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
        }
    }

    /// Runs changes that cannot be undone. They are not processed at the end.
    func changeInOneEvent(_ number: Int, _ body: () throws -> Void) rethrows {
        let context = contexts[number]
        let manager = context.undoManager
        context.performAndWait {
            context.processPendingChanges()
            context.undoManager = nil
        }
        defer { context.performAndWait { context.undoManager = manager } }
        try body()
    }

    /// Saves the context, and delivers the save to the other contexts.
    ///
    /// - Parameter inserted: the numbers of the objects that this save adds to the parent.
    func save(_ number: Int, inserted: [Identity]) throws {
        let context = contexts[number]
        // A temporary id must be read before the save replaces it.
        for identity in inserted { _ = object(identity, in: number) }
        let box = NotificationBox()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { box.notification = $0 }
        defer { NotificationCenter.default.removeObserver(observer) }
        if let parent = arrangement.parents[number] {
            try change(parent) { try context.performAndWait { try context.save() } }
        } else {
            try context.performAndWait { try context.save() }
        }
        if let parent = arrangement.parents[number] {
            takeOver(inserted, from: number, in: parent)
        } else {
            for identity in inserted { savedIDs[identity] = handles[number][identity]?.objectID }
            try deliver(box.notification, from: number)
        }
    }

    /// Keeps the parent's objects for the new objects that a child has saved, so that later steps
    /// of the sequence can use the objects in the parent, too.
    private func takeOver(_ inserted: [Identity], from child: Int, in parent: Int) {
        let context = contexts[parent]
        for identity in inserted {
            guard let id = handles[child][identity]?.objectID else { continue }
            handles[parent][identity] = context.performAndWait { context.object(with: id) }
        }
    }

    private func deliver(_ notification: Notification?, from saver: Int) throws {
        guard let notification else { throw Failure("no did-save notification") }
        if arrangement.delivery == .remote {
            let others = contexts.indices.filter { $0 != saver }.map { contexts[$0] }
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: Self.ids(of: notification), into: others)
            return
        }
        for (number, context) in contexts.enumerated() where number != saver {
            context.performAndWait {
                // Contexts that merge automatically have enqueued the merge before this block.
                if arrangement.delivery == .automatic, arrangement.parents[number] == nil { return }
                if arrangement.mergesInChildren, arrangement.parents[number] == saver { return }
                context.mergeChanges(fromContextDidSave: notification)
            }
        }
    }

    /// The notification as another process would send it: only with the ids of changed objects.
    private static func ids(of notification: Notification) -> [AnyHashable: Any] {
        var ids: [AnyHashable: Any] = [:]
        for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
            let objects = notification.userInfo?[key] as? Set<NSManagedObject> ?? []
            ids[key] = objects.map(\.objectID)
        }
        return ids
    }
}

private final class NotificationBox {
    var notification: Notification?
}

// `@unchecked Sendable` because notifications are posted on the saving thread, which waits.
extension NotificationBox: @unchecked Sendable {}

/// A difference between the engine and the reference.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
