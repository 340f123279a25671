import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore

/// Compares a context before and after a save, and also the parent or store into which it saves.
/// The step runner creates the value directly before the save. It reads only existing values, and
/// fires no faults of the context.
struct SaveRecording {
    /// An object with unsaved changes, in its state before the save.
    private struct Pending {
        let object: NSManagedObject
        let name: ObjectName
        let key: ObjectKey
        let base: Row?
        let wanted: [(slot: Int, value: ObservedValue)]
        let named: [Int]
        let isInsert: Bool
        let isDelete: Bool
    }

    private let world: LabWorld
    private let saver: LabContext
    private var pending: [Pending] = []
    private let mirror: StoreMirror
    private var parentLook: ParentLook?

    init(_ saver: LabContext, in world: LabWorld) throws(CoreDataError) {
        self.world = world
        self.saver = saver
        mirror = world.watch.mirror
        let context = saver.context
        for object in saver.changed(context.insertedObjects) {
            pending.append(try make(object, isInsert: true))
        }
        for object in saver.changed(context.updatedObjects) where object.cells != nil {
            pending.append(try make(object))
        }
        for object in saver.changed(context.deletedObjects) where !object.isInserted {
            pending.append(try make(object, isDelete: true))
        }
        guard let position = saver.plan.parent else { return }
        let parent = world.contexts[position]
        let look = ParentLook(before: try readParent(parent)) { [self] in try? readParent(parent) }
        parentLook = look
        world.beginLook(look, of: saver.plan.name)
    }

    var names: [ObjectName] { pending.map(\.name) }

    var objects: [NSManagedObject] { pending.map(\.object) }

    private func make(
        _ object: NSManagedObject, isInsert: Bool = false, isDelete: Bool = false
    ) throws(CoreDataError) -> Pending {
        let key = object.objectKey
        let base = isInsert ? nil : object.cells.map { world.row($0, object.layout) }
        var wanted: [(slot: Int, value: ObservedValue)] = []
        if !isDelete {
            let current = try Row(current: object, name: world.alias)
            wanted = saver.named.changes(of: object, from: base, to: current)
        }
        return Pending(
            object: object, name: world.name(key), key: key, base: base, wanted: wanted,
            named: saver.named.slots(of: object), isInsert: isInsert, isDelete: isDelete)
    }

    /// The parent's rows of the saved objects, including the parent's unsaved values.
    ///
    /// - Parameter handsOverNames: whether the parent takes over the properties that steps of the
    ///   child have set. They then count as changes of the parent.
    private func readParent(
        _ parent: LabContext, handsOverNames: Bool = false
    ) throws(CoreDataError) -> [ObjectKey: Row] {
        try parent.queue.runAndWait { () throws(CoreDataError) in
            var rows: [ObjectKey: Row] = [:]
            let held = Dictionary(
                parent.context.registeredObjects.map { ($0.objectKey, $0) },
                uniquingKeysWith: { first, _ in first })
            for item in pending {
                guard let object = held[item.key], !object.isFault, !object.isDeleted else {
                    continue
                }
                rows[item.key] = try Row(current: object, name: world.alias)
                if handsOverNames {
                    for slot in item.named { parent.named.note(slot, of: object) }
                }
            }
            return rows
        }
    }

    func keys() -> SavedKeys {
        let written = pending.filter { isWritten($0) }
        return SavedKeys(
            inserted: written.filter(\.isInsert).map(\.object.objectKey),
            updated: written.filter { !$0.isInsert && !$0.isDelete }.map(\.object.objectKey),
            deleted: written.filter(\.isDelete).map(\.key))
    }

    /// A merge policy may have dropped an object's changes.
    private func isWritten(_ item: Pending) -> Bool {
        if saver.plan.parent != nil { return true }
        if item.isDelete { return world.watch.mirror[item.key] == nil }
        if item.isInsert { return world.watch.mirror[item.object.objectKey] != nil }
        return world.watch.mirror[item.key] != mirror[item.key]
    }

    func renameInserted() {
        for item in pending where item.isInsert {
            world.notes.move(item.key, to: item.object.objectKey)
        }
    }

    func finished() throws(CoreDataError) -> Save {
        let now = try saver.plan.parent.map { parent throws(CoreDataError) in
            try readParent(world.contexts[parent], handsOverNames: true)
        }
        let afterParent = parentLook?.after ?? now
        let target: Save.Target =
            saver.plan.parent.map { .parent(world.contexts[$0].plan.name) } ?? .store
        return Save(
            target: target, policy: saver.policyName,
            changes: pending.map { item in
                guard let afterParent else { return storeChange(item) }
                let after = item.isDelete ? nil : afterParent[item.key]
                return change(item, before: parentLook?.before[item.key] ?? item.base, after: after)
            })
    }

    private func storeChange(_ item: Pending) -> Save.Change {
        let key = item.object.objectKey
        guard item.isInsert else {
            return change(item, before: mirror[item.key], after: world.watch.mirror[item.key])
        }
        // A constraint may have merged the new object into an existing row.
        var survivor = key
        if world.watch.mirror[key] == nil || mirror[key] == nil,
            let wanted = wantedRow(item),
            let old = mirror.duplicates(of: wanted, entity: item.object.layout).first
        {
            survivor = world.watch.mirror[old] == nil ? key : old
            return change(
                item, named: survivor == key ? nil : world.name(old), before: mirror[old],
                after: world.watch.mirror[survivor])
        }
        return change(item, before: mirror[survivor], after: world.watch.mirror[survivor])
    }

    private func wantedRow(_ item: Pending) -> Row? {
        guard item.wanted.count == item.object.layout.values.count else { return nil }
        return Row(version: 0, values: item.wanted.map(\.value))
    }

    private func change(
        _ item: Pending, named: ObjectName? = nil, before: Row?, after: Row?
    ) -> Save.Change {
        Save.Change(
            object: named ?? item.name, base: item.base, before: before, wanted: item.wanted,
            named: item.named, after: after, isDelete: item.isDelete)
    }
}
