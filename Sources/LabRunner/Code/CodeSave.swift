import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore

/// A save of explored code, with its objects and its result.
///
/// It is created after hooks and delete rules have run, and before the save writes.
struct CodeSave {
    struct Item {
        let object: NSManagedObject
        let name: ContextHistory.ObjectName
        let key: ObjectKey
        /// The snapshot on which the context's changes are based.
        let base: Row?
        let cells: UnsafeRawPointer?
        let wanted: [(slot: Int, value: ObservedValue)]
        let named: [Int]
        let isInsert: Bool
        let isDelete: Bool

        /// The object's row at the start of the save. The item retains the row, because a new row
        /// could otherwise get the same address.
        let block: RowBlock?

        /// Whether the save gave the object a new row. A save does not write an object whose values
        /// were set back, so this object keeps its row.
        var hasNewRow: Bool { object.cells != cells }
    }

    let policy: String
    let items: [Item]
    /// Objects that the merge policy has added to the save, with their previous rows.
    private var late: [(object: NSManagedObject, key: ObjectKey, base: Row?)] = []
    private var attempts = 0
    private var decided: [ObjectIdentifier: Set<Int>] = [:]
    /// The parent's rows of the objects just before the parent receives the values; `parentAfter`
    /// has the rows just after.
    var parentBefore: [ObjectKey: Row]?
    var parentAfter: [ObjectKey: Row]?

    init(
        _ context: NSManagedObjectContext, named: NamedSlots,
        name: (ObjectKey) -> ContextHistory.ObjectName, alias: (ObjectKey) -> String
    ) {
        var items: [Item] = []
        func add(_ object: NSManagedObject, isInsert: Bool = false, isDelete: Bool = false) {
            let base =
                isInsert
                ? nil : object.cells.map { Row(cells: $0, entity: object.layout, name: alias) }
            var wanted: [(slot: Int, value: ObservedValue)] = []
            if !isDelete, let current = try? Row(current: object, name: alias) {
                wanted = named.changes(of: object, from: base, to: current)
            }
            items.append(
                Item(
                    object: object, name: name(object.objectKey), key: object.objectKey,
                    base: base, cells: object.cells, wanted: wanted, named: named.slots(of: object),
                    isInsert: isInsert, isDelete: isDelete,
                    block: object.cells.map { RowFormat.block($0).takeUnretainedValue() }))
        }
        for object in Self.sorted(context.insertedObjects) where !object.isDeleted {
            add(object, isInsert: true)
        }
        for object in Self.sorted(context.updatedObjects) where object.cells != nil { add(object) }
        for object in Self.sorted(context.deletedObjects) where !object.isInserted {
            add(object, isDelete: true)
        }
        self.items = items
        policy = (context.mergePolicy as? NSMergePolicy).map { CodeChange.name($0.mergeType) } ?? ""
    }

    /// Objects in an order that is the same in every run.
    static func sorted(_ objects: Set<NSManagedObject>) -> [NSManagedObject] {
        objects.sorted { left, right in
            let (one, other) = (left.objectKey, right.objectKey)
            if one.entity != other.entity { return one.entity < other.entity }
            // New temporary keys are smaller than earlier ones, so they are compared in reverse.
            if one.isTemporary != other.isTemporary { return other.isTemporary }
            return one.isTemporary ? one.key > other.key : one.key < other.key
        }
    }

    /// Called each time the save begins to write. After the first time, a merge policy has resolved
    /// conflicts. The call then also records the objects that the policy has changed or deleted.
    mutating func noteLate(
        _ context: NSManagedObjectContext, _ row: (NSManagedObject) -> Row?
    ) {
        attempts += 1
        if attempts == 1 { return }
        for object in Self.sorted(context.updatedObjects.union(context.deletedObjects))
        where !items.contains(where: { $0.object === object })
            && !late.contains(where: { $0.object === object })
        {
            late.append((object, object.objectKey, row(object)))
        }
    }

    /// Records a property that a merge policy sets while it resolves conflicts.
    mutating func noteDecided(_ slot: Int, of object: NSManagedObject) {
        if attempts > 0 { decided[ObjectIdentifier(object), default: []].insert(slot) }
    }

    func rows(
        of parent: NSManagedObjectContext, _ alias: (ObjectKey) -> String
    ) -> [ObjectKey: Row] {
        let held = Dictionary(
            parent.registeredObjects.map { ($0.objectKey, $0) },
            uniquingKeysWith: { first, _ in first })
        var rows: [ObjectKey: Row] = [:]
        for item in items {
            guard let object = held[item.key], !object.isFault, !object.isDeleted else { continue }
            rows[item.key] = try? Row(current: object, name: alias)
        }
        return rows
    }

    /// The temporary keys that the save has replaced by permanent ones, with their replacements.
    var renamed: [(old: ObjectKey, new: ObjectKey)] {
        items.filter(\.isInsert).map { ($0.key, $0.object.objectKey) }
    }

    /// The objects that were written, by their current keys.
    var objects: [ObjectKey: NSManagedObject] {
        let own = items.filter(\.hasNewRow).map(\.object)
        return Dictionary(
            (own + late.map(\.object)).map { ($0.objectKey, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    // MARK: Result

    /// - Parameters:
    ///   - keys: the rows that were written.
    ///   - committed: the rows that earlier saves of the schedule have written.
    func changes(
        _ keys: SavedKeys, committed: [ObjectKey: Row?], row: (NSManagedObject) -> Row?,
        name: (ObjectKey) -> ContextHistory.ObjectName
    ) -> [Save.Change] {
        let (inserted, updated, deleted) = (
            Set(keys.inserted), Set(keys.updated), Set(keys.deleted)
        )
        return items.map { item in
            if let parentAfter {
                return change(
                    item, before: parentBefore?[item.key] ?? item.base,
                    after: item.isDelete ? nil : parentAfter[item.key])
            }
            let before: Row? =
                if let known = committed[item.key] { known } else { item.base }
            if item.isDelete {
                return change(
                    item, before: before, after: deleted.contains(item.key) ? nil : before)
            }
            let key = item.object.objectKey
            if item.isInsert {
                let isWritten = inserted.contains(key)
                return change(
                    inserting: item, isWritten ? row(item.object) : nil, committed, row, name)
            }
            let isWritten = updated.contains(key) && item.hasNewRow
            return change(item, before: before, after: isWritten ? row(item.object) : before)
        }
    }

    /// The change that results from saving a new object. A constraint may have merged the object
    /// into an existing row.
    private func change(
        inserting item: Item, _ written: Row?, _ committed: [ObjectKey: Row?],
        _ row: (NSManagedObject) -> Row?, _ name: (ObjectKey) -> ContextHistory.ObjectName
    ) -> Save.Change {
        guard let old = duplicate(of: item) else {
            // The merge policy has kept the row of another save, and released the new object.
            if written == nil, let kept = duplicate(of: item, in: committed) {
                return change(item, named: name(kept.key), before: kept.row, after: kept.row)
            }
            return change(item, before: nil, after: written)
        }
        let before: Row? = if let known = committed[old.key] { known } else { old.base }
        if let written { return change(item, before: before, after: written) }
        return change(item, named: name(old.key), before: before, after: row(old.object))
    }

    private func duplicate(
        of item: Item, in committed: [ObjectKey: Row?]
    ) -> (key: ObjectKey, row: Row)? {
        committed.compactMap { key, row in
            row.flatMap { key.entity == item.key.entity && isDouble(item, $0) ? (key, $0) : nil }
        }.min { $0.key.key < $1.key.key }
    }

    /// Whether a new object has the values of a row that a constraint requires to be unique.
    private func isDouble(_ item: Item, _ row: Row) -> Bool {
        item.object.layout.uniquenessConstraints.contains { constraint in
            constraint.slots.allSatisfy { slot in
                let wanted = item.wanted.first { $0.slot == slot }?.value
                return wanted == row.values[slot] && wanted != .null
            }
        }
    }

    private func duplicate(
        of item: Item
    ) -> (object: NSManagedObject, key: ObjectKey, base: Row?)? {
        late.first { other in
            guard other.key.entity == item.key.entity, let row = other.base else { return false }
            return isDouble(item, row)
        }
    }

    private func change(
        _ item: Item, named: ContextHistory.ObjectName? = nil, before: Row?, after: Row?
    ) -> Save.Change {
        Save.Change(
            object: named ?? item.name, base: item.base, before: before, wanted: item.wanted,
            named: item.named, decided: decided[ObjectIdentifier(item.object)] ?? [], after: after,
            isDelete: item.isDelete)
    }
}
