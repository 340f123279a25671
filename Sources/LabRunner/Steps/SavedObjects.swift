import CoreDataEngine
import CoreDataStore
import LabScenario

/// The objects that a context is about to save. They are found without reading the store, because
/// other threads may use it. The step runner creates one list for each save if no history is kept.
private struct SavedObjects {
    private let inserted: [(object: NSManagedObject, key: ObjectKey)]
    private let updated: [NSManagedObject]
    private let deleted: [(object: NSManagedObject, key: ObjectKey)]

    init(of saver: LabContext) {
        let context = saver.context
        inserted = saver.changed(context.insertedObjects).map { ($0, $0.objectKey) }
        updated = saver.changed(context.updatedObjects)
        deleted = saver.changed(context.deletedObjects).filter { !$0.isInserted }
            .map { ($0, $0.objectKey) }
    }

    func renameInserted(in world: LabWorld) {
        for (object, key) in inserted { world.notes.move(key, to: object.objectKey) }
    }

    /// The ids that the save posts to other contexts. A merge policy may have reverted a deletion.
    func keys() -> SavedKeys {
        SavedKeys(
            inserted: inserted.map(\.object.objectKey), updated: updated.map(\.objectKey),
            deleted: deleted.filter { $0.object.managedObjectContext == nil }.map(\.key))
    }
}

extension StepRunner {
    func saveUnwatched() throws(Stop) -> String {
        let objects = try engine { () throws(CoreDataError) in
            try context.context.checkConfined("save()")
            try context.context.processPending()
            return SavedObjects(of: context)
        }
        do throws(CoreDataError) {
            try context.context.saveChanges()
        } catch {
            objects.renameInserted(in: world)
            throw .engine(error)
        }
        objects.renameInserted(in: world)
        context.named.removeAll()
        world.post(objects.keys(), by: context)
        return "ok"
    }
}
