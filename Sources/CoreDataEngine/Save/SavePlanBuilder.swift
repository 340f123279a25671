import CRuntimeShims
import CoreDataModel
import CoreDataStore

/// Converts the changes of a context to values: the plan for the store, and the new rows.
///
/// The save pipeline builds a plan for each attempt. Objects are not changed.
struct SavePlanBuilder {
    let context: NSManagedObjectContext
    private var plan = SavePlan()
    private var saved = SavedObjects()
    private var deletedKeys: [ObjectKey] = []
    private var newObjects: [RowObjects] = []
    private var changedObjects = RowObjects()
    private var insertGroups: GroupIndex
    private var updateGroups: [UpdateGroupKey: Int] = [:]
    private var lastUpdate: (key: UpdateGroupKey, group: Int)?
    private var deleteGroups: GroupIndex
    private var failure: CoreDataError?

    /// Objects whose rows are written. The references are unowned; the lists of `saved` keep the
    /// objects alive.
    fileprivate typealias RowObjects = ContiguousArray<Unmanaged<NSManagedObject>>

    private struct UpdateGroupKey: Hashable {
        let entity: Int
        let mask: SlotMask
    }

    /// The position of each entity's group in the plan.
    private struct GroupIndex {
        private var groups: ContiguousArray<Int?>

        init(entityCount: Int) { groups = ContiguousArray(repeating: nil, count: entityCount) }

        mutating func group(of entity: Int, next: Int) -> Int {
            if let known = groups[entity] { return known }
            groups[entity] = next
            return next
        }
    }

    struct Built {
        let plan: SavePlan
        let saved: SavedObjects
        let deletedKeys: [ObjectKey]
        let rows: [RowBlock]
        fileprivate let rowed: [RowObjects]

        func attachRows() {
            var blocks = rows.makeIterator()
            for objects in rowed {
                var next = 0
                while next < objects.count, let block = blocks.next() {
                    assert(
                        next + block.count <= objects.count,
                        "the block has more rows than there are objects left")
                    // Retains the block once for each object.
                    faultline_retain(block.address, UInt32(block.count))
                    for index in 0..<block.count {
                        objects[next]._withUnsafeGuaranteedRef {
                            assert(RowFormat.key(block.cells(at: index)) == $0.key)
                            $0.take(block.cells(at: index))
                        }
                        next += 1
                    }
                }
                assert(next == objects.count, "a written object has no row")
            }
            assert(blocks.next() == nil, "a written row has no object")
        }
    }

    init(context: NSManagedObjectContext) {
        self.context = context
        let entityCount = context.binding.layout.entities.count
        insertGroups = GroupIndex(entityCount: entityCount)
        deleteGroups = GroupIndex(entityCount: entityCount)
    }

    /// - Throws: an error if an object or a list that the plan needs cannot be read.
    func build() throws(CoreDataError) -> Built {
        assert(context.queue.isCurrent, "the plan is created off the context's queue")
        var builder = self
        builder.addAll()
        if let failure = builder.failure { throw failure }
        return builder.write()
    }

    /// Reads a part of the plan. The first failure cancels the whole plan; otherwise a save could
    /// write only some of the changes.
    private mutating func read<Result>(_ body: () throws(CoreDataError) -> Result) -> Result? {
        do { return try body() } catch {
            failure = failure ?? error
            return nil
        }
    }

    private mutating func addAll() {
        saved.inserted = context.changes.inserted.keeping { !$0.state.contains(.deleted) }
        saved.updated = context.changes.updated
        let (inserted, updated) = (saved.inserted, saved.updated)
        inserted.eachUnretained { object in
            guard object.state.contains(.fault) else { return }
            _ = read { () throws(CoreDataError) in try object.prepareAccess() }
        }
        inserted.eachUnretained { addInsert($0) }
        updated.eachUnretained { addUpdate($0) }
        context.changes.deleted.eachUnretained { addDelete($0) }
        if mutant(.detectionIsForgotten) { return }
        for object in context.changes.locked
        where object.registry != nil && object.state.isDisjoint(with: .changed) {
            // A refresh may have turned the object into a fault. The check then uses the version of
            // its current row.
            if object.state.contains(.fault) {
                _ = read { () throws(CoreDataError) in try object.isReadable() }
            }
            plan.locks.append(
                SavePlan.Lock(entity: object.layout, key: object.key, version: object.rowVersion))
        }
    }

    // MARK: Rows

    /// Writes each row once. The plan and the row cache share the blocks of rows.
    private mutating func write() -> Built {
        var rows: [RowBlock] = []
        for objects in newObjects {
            let layout = objects[0]._withUnsafeGuaranteedRef { $0.layout }
            let blocks = self.rows(of: objects, includingTransient: false)
            // A parent context also receives transient values.
            let isOwn = layout.hasTransientValues && context.parent != nil
            plan.inserts.append(
                SavePlan.Insert(
                    entity: layout,
                    keys: ContiguousArray(
                        objects.lazy.map { $0._withUnsafeGuaranteedRef { $0.key } }),
                    blocks: isOwn ? self.rows(of: objects, includingTransient: true) : blocks))
            rows += blocks
        }
        rows += self.rows(of: changedObjects, includingTransient: false)
        let rowed = changedObjects.isEmpty ? newObjects : newObjects + [changedObjects]
        return Built(
            plan: plan, saved: saved, deletedKeys: deletedKeys, rows: rows, rowed: rowed)
    }

    private func rows(
        of objects: RowObjects, includingTransient: Bool
    ) -> [RowBlock] {
        if objects.isEmpty { return [] }
        var rows = ObjectRowPacker(
            generation: context.generationAfterSave, includesTransient: includingTransient)
        let bump: Int32 = mutant(.skipVersionBump) ? 0 : 1
        for object in objects {
            object._withUnsafeGuaranteedRef { object in
                let isNew = object.cells == nil || object.state.contains(.resurrected)
                rows.append(object, version: isNew ? 1 : object.rowVersion + bump)
            }
        }
        return rows.finish()
    }

    // MARK: New rows

    private mutating func addInsert(_ object: NSManagedObject) {
        let entity = object.layoutReference._withUnsafeGuaranteedRef { $0.index }
        let group = insertGroups.group(of: entity, next: newObjects.count)
        if group == newObjects.count { newObjects.append([]) }
        newObjects[group].append(.passUnretained(object))
        addMemberships(object)
    }

    // MARK: Changed rows

    private mutating func addUpdate(_ object: NSManagedObject) {
        if object.state.contains(.resurrected) {
            addInsert(object)
            return
        }
        let changed = Self.changedSlots(
            of: object, includingTransient: context.parent != nil)
        let touches = object.relationships?.changedToManySlots.isEmpty == false
        guard !changed.isEmpty || touches else { return }
        let group = updateGroup(object.layoutReference, changed)
        plan.updates[group].keys.append(object.key)
        plan.updates[group].versions.append(object.rowVersion)
        changed.forEach { plan.updates[group].values.append(Self.storedValue(of: object, $0)) }
        assert(plan.updates[group].brokenInvariant() == nil)
        changedObjects.append(.passUnretained(object))
        addMemberships(object)
    }

    private mutating func updateGroup(
        _ layout: Unmanaged<EntityLayout>, _ mask: SlotMask
    ) -> Int {
        let key = UpdateGroupKey(
            entity: layout._withUnsafeGuaranteedRef { $0.index }, mask: mask)
        // Objects with the same changed properties are usually adjacent.
        if let lastUpdate, lastUpdate.key == key { return lastUpdate.group }
        let group = updateGroups[key] ?? plan.updates.count
        if group == plan.updates.count {
            plan.updates.append(
                SavePlan.Update(entity: layout.takeUnretainedValue(), slots: mask.slots))
            updateGroups[key] = group
        }
        lastUpdate = (key, group)
        return group
    }

    static func changedSlots(
        of object: NSManagedObject, includingTransient: Bool = false
    ) -> SlotMask {
        var mask = SlotMask()
        guard let pending = object.pending else { return mask }
        object.layoutReference._withUnsafeGuaranteedRef { layout in
            pending.mask.forEach { slot in
                if layout.values[slot].isTransient, !includingTransient { return }
                // A transient attribute without a type can hold an object of any class, which is
                // not saved.
                if layout.values[slot].coding == .untyped { return }
                if storedValue(of: object, slot) != object.committedValue(at: slot) {
                    mask.insert(slot)
                }
            }
        }
        return mask
    }

    /// The value that the store receives: a key for a destination, and the encoded form of an
    /// object.
    static func storedValue(of object: NSManagedObject, _ slot: Int) -> Value {
        if object.layoutReference._withUnsafeGuaranteedRef({ $0.isToOne(slot) }) {
            return object.storedKey(at: slot).map(Value.reference) ?? .null
        }
        let value = object.currentValue(at: slot)
        return value.isObject ? object.storedForm(of: value, slot) : value
    }

    // MARK: Deleted rows

    private mutating func addDelete(_ object: NSManagedObject) {
        if object.state.contains(.deletedByMerge) {
            saved.deleted.append(object)
            return
        }
        if object.state.contains(.inserted) { return }
        if object.state.contains(.fault) {
            // The plan needs the version of the deleted row, so the row is read. If the row is
            // missing, no deletion is needed.
            _ = read { () throws(CoreDataError) in try object.isReadable() }
        }
        saved.deleted.append(object)
        guard object.cells != nil else { return }
        let entity = object.layoutReference._withUnsafeGuaranteedRef { $0.index }
        let group = deleteGroups.group(of: entity, next: plan.deletes.count)
        if group == plan.deletes.count {
            plan.deletes.append(SavePlan.Delete(entity: object.layout))
        }
        plan.deletes[group].keys.append(object.key)
        plan.deletes[group].versions.append(object.rowVersion)
        assert(plan.deletes[group].keys.count == plan.deletes[group].versions.count)
        deletedKeys.append(object.objectKey)
    }

    // MARK: Members that are not in a slot

    private mutating func addMemberships(_ object: NSManagedObject) {
        guard let relationships = object.relationships else { return }
        for slot in relationships.changedToManySlots {
            let layout = object.layout.toMany[slot]
            guard let members = relationships.members(slot),
                needsMembership(layout, members.removed)
            else { continue }
            // The order comes before `hasChanges`: reading the members drops changes that no longer
            // apply.
            let order = order(of: object, slot, layout)
            guard members.hasChanges else { continue }
            plan.memberships.append(
                SavePlan.Membership(
                    entity: object.layout, slot: slot, owner: object.key,
                    added: members.added.filter { !$0.willNeverHaveRow }.map(\.objectKey),
                    removed: members.removed.map(\.objectKey),
                    order: order))
        }
    }

    /// Whether the plan must contain the changed members.
    ///
    /// The to-one side usually writes an unordered one-to-many relationship. But a save to a parent
    /// context writes no to-one side of a deleted member. If such a member was removed before its
    /// deletion, the plan must contain the removal. Otherwise the parent would apply delete rules
    /// along the removed link.
    private func needsMembership(_ layout: ToManySlot, _ removed: ObjectList) -> Bool {
        switch layout.storage {
        case .none: return context.parent != nil
        case .foreignKey:
            guard case .value(let inverse) = layout.inverse, !layout.isOrdered else { return true }
            return context.parent != nil
                && removed.contains {
                    $0.state.contains(.deleted) && $0.pending?.isSet(inverse) == true
                }
        // Both ends of the relationship list the pair, but the store writes it only once.
        case .joinTable: return true
        }
    }

    private mutating func order(
        of object: NSManagedObject, _ slot: Int, _ layout: ToManySlot
    ) -> [ObjectKey]? {
        guard layout.isOrdered else { return nil }
        let storage = read { () throws(CoreDataError) in try object.loadedMembers(slot) }
        return storage?.members.filter { !$0.willNeverHaveRow }.map(\.objectKey)
    }
}
