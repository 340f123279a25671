import CoreData

/// The contexts of a program, from the root context to the innermost child. Each context has its
/// objects by number.
final class ProgramContexts {
    private struct Level {
        let context: NSManagedObjectContext
        var objects: [Int: NSManagedObject] = [:]
    }

    private let hasUndo: Bool
    private let holdsObjects: Bool
    private var levels: [Level] = []
    private var ids: [Int: NSManagedObjectID] = [:]
    private(set) var coordinator: NSPersistentStoreCoordinator

    init(_ program: RandomProgram, _ coordinator: NSPersistentStoreCoordinator) {
        hasUndo = program.hasUndo
        holdsObjects = program.holdsObjects
        self.coordinator = coordinator
        levels = [Level(context: make())]
    }

    var context: NSManagedObjectContext { levels[levels.count - 1].context }
    var depth: Int { levels.count }

    private func make() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        if hasUndo {
            context.undoManager = UndoManager()
            context.undoManager?.groupsByEvent = false
        }
        if let parent = levels.last?.context {
            context.parent = parent
        } else {
            context.persistentStoreCoordinator = coordinator
        }
        return context
    }

    func openChild() { levels.append(Level(context: make())) }

    func closeChild() {
        levels.removeLast()
        // Unsaved objects that only the closed child had registered no longer exist.
        ids = ids.filter { !$0.value.isTemporaryID || knows($0.key) }
    }

    private func knows(_ number: Int) -> Bool { levels.contains { $0.objects[number] != nil } }

    /// Continues with a new coordinator of the same store, like another process.
    func reopen(_ other: NSPersistentStoreCoordinator) {
        let known = ids.filter { !$0.value.isTemporaryID }
        levels = []
        ids = known.compactMapValues {
            other.managedObjectID(forURIRepresentation: $0.uriRepresentation())
        }
        coordinator = other
        levels = [Level(context: make())]
    }

    // MARK: Objects

    func note(_ object: NSManagedObject, _ number: Int) {
        levels[levels.count - 1].objects[number] = object
        ids[number] = object.objectID
    }

    /// The object with this number in the innermost context. The caller runs on the context's
    /// queue.
    func object(_ number: Int) -> NSManagedObject? {
        let top = levels.count - 1
        if let held = levels[top].objects[number], held.managedObjectContext != nil { return held }
        let found = inserted(number) ?? ids[number].map(context.object(with:)) ?? fetched(number)
        if holdsObjects { levels[top].objects[number] = found }
        return found
    }

    private func inserted(_ number: Int) -> NSManagedObject? {
        context.insertedObjects.first { Self.number(of: $0) == number }
    }

    /// Fetches an object that no context has registered, because a batch request inserted it.
    private func fetched(_ number: Int) -> NSManagedObject? {
        for kind in ProgramKind.allCases {
            let request = NSFetchRequest<NSManagedObject>(entityName: kind.entity)
            request.predicate = NSPredicate(
                format: "%K == %@", argumentArray: [ProgramModel.number, number])
            guard let found = try? context.fetch(request).first else { continue }
            ids[number] = found.objectID
            return found
        }
        return nil
    }

    /// Releases the saved objects. Unsaved objects are kept, because they have no permanent ID with
    /// which they could be found again.
    func forget() {
        let top = levels.count - 1
        levels[top].objects = levels[top].objects.filter { $0.value.objectID.isTemporaryID }
    }

    func dropObjects() { levels[levels.count - 1].objects = [:] }

    /// Registers the objects of a save by their numbers, before their temporary IDs are replaced.
    func meetInserted() {
        for object in context.insertedObjects {
            guard let number = Self.number(of: object) else { continue }
            levels[levels.count - 1].objects[number] = object
        }
    }

    func noteIDs() {
        for (number, object) in levels[levels.count - 1].objects
        where object.managedObjectContext != nil {
            ids[number] = object.objectID
        }
    }

    /// Removes the undo actions of the innermost context, and of its parent if `isDeep`. A save
    /// cannot be undone.
    func forgetUndo(above isDeep: Bool) {
        for level in isDeep ? Array(levels.suffix(2)) : [levels[levels.count - 1]] {
            level.context.performAndWait {
                level.context.processPendingChanges()
                level.context.undoManager?.removeAllActions()
            }
        }
    }

    static func number(of object: NSManagedObject) -> Int? {
        (object.value(forKey: ProgramModel.number) as? NSNumber)?.intValue
    }
}
