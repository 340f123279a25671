import CRuntimeShims
import CoreDataModel
import CoreDataStore

/// Turns a context's changes into values: the plan for the store, and the rows as they will be.
///
/// Called by the save pipeline once for each attempt; it changes no object.
struct SavePlanBuilder {
    let context: NSManagedObjectContext
    private var plan = SavePlan()
    private var saved = SavedObjects()
    private var deletedKeys: [ObjectKey] = []
    /// New objects of one entity each, in the order in which the entities were met.
    private var newObjects: [RowObjects] = []
    private var changedObjects = RowObjects()
    private var insertGroups: GroupIndex
    private var updateGroups: [UpdateGroupKey: Int] = [:]
    private var lastUpdate: (key: UpdateGroupKey, group: Int)?
    private var deleteGroups: GroupIndex
    /// What could not be read.
    private var failure: CoreDataError?

    /// Objects with a row to be written, which the lists of `saved` keep alive.
    fileprivate typealias RowObjects = ContiguousArray<Unmanaged<NSManagedObject>>

    private struct UpdateGroupKey: Hashable {
        let entity: Int
        let mask: SlotMask
    }

    /// Which group of a plan has an entity's rows.
    private struct GroupIndex {
        private var groups: ContiguousArray<Int?>

        init(entityCount: Int) { groups = ContiguousArray(repeating: nil, count: entityCount) }

        /// The entity's group; `next` where it is met for the first time.
        mutating func group(of entity: Int, next: Int) -> Int {
            if let known = groups[entity] { return known }
            groups[entity] = next
            return next
        }
    }

    /// What the builder made.
    struct Built {
        let plan: SavePlan
        let saved: SavedObjects
        let deletedKeys: [ObjectKey]
        /// The rows as they will be after the save.
        let rows: [RowBlock]
        /// The objects of the rows, in the order of the rows.
        fileprivate let rowed: [RowObjects]

        /// Gives the objects the rows that were written.
        func attachRows() {
            var blocks = rows.makeIterator()
            for objects in rowed {
                var next = 0
                while next < objects.count, let block = blocks.next() {
                    assert(next + block.count <= objects.count, "a block has one entity's rows")
                    // The references that the objects take.
                    faultline_retain(block.address, UInt32(block.count))
                    for index in 0..<block.count {
                        objects[next]._withUnsafeGuaranteedRef {
                            assert(RowFormat.key(block.cells(at: index)) == $0.key)
                            $0.take(block.cells(at: index))
                        }
                        next += 1
                    }
                }
                assert(next == objects.count, "an object was written and has no row")
            }
            assert(blocks.next() == nil, "a row was written and has no object")
        }
    }

    init(context: NSManagedObjectContext) {
        self.context = context
        let entityCount = context.binding.layout.entities.count
        insertGroups = GroupIndex(entityCount: entityCount)
        deleteGroups = GroupIndex(entityCount: entityCount)
    }

    /// - Throws: where an object or a list that the plan needs cannot be read.
    func build() throws(CoreDataError) -> Built {
        assert(context.queue.isCurrent, "a plan is made on the context's queue")
        var builder = self
        builder.addAll()
        if let failure = builder.failure { throw failure }
        return builder.write()
    }

    /// Reads for the plan; the first failure ends its making, or a part of the changes would be
    /// saved.
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
            // A refresh has made it a fault: the row of now counts.
            if object.state.contains(.fault) {
                _ = read { () throws(CoreDataError) in try object.isReadable() }
            }
            plan.locks.append(
                SavePlan.Lock(entity: object.layout, key: object.key, version: object.rowVersion))
        }
    }

    // MARK: Rows

    /// Writes the rows, each once: the plan has the same blocks as the row cache will have.
    private mutating func write() -> Built {
        var rows: [RowBlock] = []
        for objects in newObjects {
            let layout = objects[0]._withUnsafeGuaranteedRef { $0.layout }
            let blocks = self.rows(of: objects, includingTransient: false)
            // A parent takes over transient values as well.
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

    /// Objects' rows as they will be after the save.
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
        // Objects that were changed alike stand together most often.
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

    /// The slots whose value differs from the row.
    static func changedSlots(
        of object: NSManagedObject, includingTransient: Bool = false
    ) -> SlotMask {
        var mask = SlotMask()
        guard let pending = object.pending else { return mask }
        object.layoutReference._withUnsafeGuaranteedRef { layout in
            pending.mask.forEach { slot in
                if layout.values[slot].isTransient, !includingTransient { return }
                // An object of any class stays in its context.
                if layout.values[slot].coding == .untyped { return }
                if storedValue(of: object, slot) != object.committedValue(at: slot) {
                    mask.insert(slot)
                }
            }
        }
        return mask
    }

    /// A slot's value as it is written.
    static func storedValue(of object: NSManagedObject, _ slot: Int) -> Value {
        if object.layoutReference._withUnsafeGuaranteedRef({ $0.isToOne(slot) }) {
            return object.storedKey(at: slot).map(Value.reference) ?? .null
        }
        let value = object.currentValue(at: slot)
        return value.isObject ? object.storedForm(of: value, slot) : value
    }

    // MARK: Gone rows

    private mutating func addDelete(_ object: NSManagedObject) {
        if object.state.contains(.deletedByMerge) {
            saved.deleted.append(object)
            return
        }
        if object.state.contains(.inserted) { return }
        if object.state.contains(.fault) {
            // The version is needed; a row that is gone need not be deleted.
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

    // MARK: Members that no slot shows

    private mutating func addMemberships(_ object: NSManagedObject) {
        guard let relationships = object.relationships else { return }
        for slot in relationships.changedToManySlots {
            let layout = object.layout.toMany[slot]
            guard let members = relationships.members(slot),
                needsMembership(layout, members.removed)
            else { continue }
            // Looked at first: reading the members drops changes that are none any more.
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

    /// Whether the store or parent must be told; an unordered one-to-many is written by its to-one
    /// side. For a deleted object a child writes none, and its parent would carry the deletion along
    /// the link that the child has cut before.
    private func needsMembership(_ layout: ToManySlot, _ removed: ObjectList) -> Bool {
        switch layout.storage {
        case .none: return context.parent != nil
        case .foreignKey:
            guard case .value(let inverse) = layout.inverse, !layout.isOrdered else { return true }
            return context.parent != nil
                && removed.contains {
                    $0.state.contains(.deleted) && $0.pending?.isSet(inverse) == true
                }
        // Both ends say the same; the store writes a pair once.
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
