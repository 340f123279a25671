import CoreDataModel

/// Turns a context's changes into values: the plan for the store, and the rows as they will be.
///
/// Called by the save pipeline once for each attempt; it changes no object.
struct SavePlanBuilder {
    let context: NSManagedObjectContext
    private var plan = SavePlan()
    private var saved = SavedObjects()
    private var deletedKeys: [ObjectKey] = []
    private var insertGroups: [Int: Int] = [:]
    private var updateGroups: [UpdateShape: Int] = [:]
    private var deleteGroups: [Int: Int] = [:]
    private var rowed = ContiguousArray<NSManagedObject>()

    private struct UpdateShape: Hashable {
        let entity: Int
        let mask: SlotMask
    }

    /// What the builder made.
    struct Built {
        let plan: SavePlan
        let saved: SavedObjects
        let deletedKeys: [ObjectKey]
        let rows: [RowBlock]
        /// The objects of the rows, in the order of the rows.
        fileprivate let rowed: ContiguousArray<NSManagedObject>

        /// Gives the objects the rows that were written.
        func attachRows() {
            var next = 0
            for block in rows {
                for index in 0..<block.count {
                    rowed[next].attach(RowReference(block: block, index: index))
                    next += 1
                }
            }
        }
    }

    /// Whether the plan is for a store and not for a parent context.
    private let savesToStore: Bool

    init(context: NSManagedObjectContext) {
        self.context = context
        savesToStore = context.parent == nil
    }

    private mutating func addAll() {
        saved.inserted = context.changes.inserted.keeping { !$0.state.contains(.deleted) }
        rowed = saved.inserted
        for object in saved.inserted { appendInsert(object) }
        for object in context.changes.updated { addUpdate(object) }
        for object in context.changes.deleted { addDelete(object) }
        if mutant(.detectionIsForgotten) { return }
        for object in context.changes.locked where object.state.isDisjoint(with: .changed) {
            plan.locks.append(
                SavePlan.Lock(entity: object.layout, key: object.key, version: object.rowVersion))
        }
    }

    func build() -> Built {
        var builder = self
        builder.addAll()
        return Built(
            plan: builder.plan, saved: builder.saved, deletedKeys: builder.deletedKeys,
            rows: builder.makeRows(), rowed: builder.rowed)
    }

    // MARK: New rows

    private mutating func appendInsert(_ object: NSManagedObject) {
        let layout = object.layout
        let group = insertGroup(layout)
        plan.inserts[group].keys.append(object.key)
        let skipsTransient = layout.hasTransientValues && savesToStore
        for slot in layout.values.indices {
            plan.inserts[group].values.append(
                skipsTransient && layout.values[slot].isTransient
                    ? .null : Self.storedValue(of: object, slot))
        }
        addMemberships(object)
    }

    private mutating func insertGroup(_ layout: EntityLayout) -> Int {
        if let group = insertGroups[layout.index] { return group }
        plan.inserts.append(SavePlan.Insert(entity: layout))
        insertGroups[layout.index] = plan.inserts.count - 1
        return plan.inserts.count - 1
    }

    // MARK: Changed rows

    private mutating func addUpdate(_ object: NSManagedObject) {
        saved.updated.append(object)
        if object.state.contains(.resurrected) {
            appendInsert(object)
            rowed.append(object)
            return
        }
        let changed = Self.changedSlots(
            of: object, includingTransient: context.parent != nil)
        let touches = object.relationships?.changedToManySlots.isEmpty == false
        guard !changed.isEmpty || touches else { return }
        let group = updateGroup(object.layout, changed)
        plan.updates[group].keys.append(object.key)
        plan.updates[group].versions.append(object.rowVersion)
        for slot in plan.updates[group].slots {
            plan.updates[group].values.append(Self.storedValue(of: object, slot))
        }
        rowed.append(object)
        addMemberships(object)
    }

    private mutating func updateGroup(_ layout: EntityLayout, _ mask: SlotMask) -> Int {
        let shape = UpdateShape(entity: layout.index, mask: mask)
        if let group = updateGroups[shape] { return group }
        plan.updates.append(SavePlan.Update(entity: layout, slots: mask.slots))
        updateGroups[shape] = plan.updates.count - 1
        return plan.updates.count - 1
    }

    /// The slots whose value differs from the row.
    static func changedSlots(
        of object: NSManagedObject, includingTransient: Bool = false
    ) -> SlotMask {
        var mask = SlotMask()
        guard let pending = object.pending else { return mask }
        for slot in pending.mask.slots {
            if object.layout.values[slot].isTransient && !includingTransient { continue }
            if storedValue(of: object, slot) != object.committedValue(at: slot) {
                mask.insert(slot)
            }
        }
        return mask
    }

    /// A slot's value as it is written: destinations by the key they have by now, and null for a
    /// new object that was deleted under a rule that leaves the reference to it.
    static func storedValue(of object: NSManagedObject, _ slot: Int) -> Value {
        let value = object.currentValue(at: slot)
        if !object.layoutReference._withUnsafeGuaranteedRef({ $0.isToOne(slot) }) { return value }
        guard case .reference(let key) = value else { return value }
        guard let destination = object.knownDestination(slot) else {
            return .reference(key)
        }
        return destination.willNeverHaveRow ? .null : .reference(destination.objectKey)
    }

    // MARK: Gone rows

    private mutating func addDelete(_ object: NSManagedObject) {
        if object.state.contains(.deletedByMerge) {
            saved.deleted.append(object)
            return
        }
        if object.state.contains(.inserted) { return }
        if object.isFault {
            // The version is needed; a row that is gone need not be deleted.
            try? object.prepareAccess()
        }
        saved.deleted.append(object)
        guard object.cells != nil else { return }
        let group = deleteGroup(object.layout)
        plan.deletes[group].keys.append(object.key)
        plan.deletes[group].versions.append(object.rowVersion)
        deletedKeys.append(object.objectKey)
    }

    private mutating func deleteGroup(_ layout: EntityLayout) -> Int {
        if let group = deleteGroups[layout.index] { return group }
        plan.deletes.append(SavePlan.Delete(entity: layout))
        deleteGroups[layout.index] = plan.deletes.count - 1
        return plan.deletes.count - 1
    }

    // MARK: Members that no slot shows

    private mutating func addMemberships(_ object: NSManagedObject) {
        guard let relationships = object.relationships else { return }
        for slot in relationships.changedToManySlots {
            let layout = object.layout.toMany[slot]
            guard let members = relationships.members(slot) else { continue }
            guard needsMembership(layout) else { continue }
            plan.memberships.append(
                SavePlan.Membership(
                    entity: object.layout, slot: slot, owner: object.key,
                    added: members.added.filter { !$0.willNeverHaveRow }.map(\.objectKey),
                    removed: members.removed.map(\.objectKey),
                    order: Self.order(of: object, slot, layout)))
        }
    }

    /// Whether the store or parent must be told; an unordered one-to-many is written by its to-one
    /// side.
    private func needsMembership(_ layout: ToManySlot) -> Bool {
        switch layout.storage {
        case .none: return context.parent != nil
        case .foreignKey: return layout.isOrdered || layout.inverse == .none
        // Both ends say the same; the store writes a pair once.
        case .joinTable: return true
        }
    }

    private static func order(
        of object: NSManagedObject, _ slot: Int, _ layout: ToManySlot
    ) -> [ObjectKey]? {
        guard layout.isOrdered else { return nil }
        return (try? object.loadedMembers(slot))?.members
            .filter { !$0.willNeverHaveRow }.map(\.objectKey)
    }

    // MARK: Rows

    /// The rows as they will be after the save, in blocks.
    private func makeRows() -> [RowBlock] {
        var rows = RowWriter(generation: context.generationAfterSave)
        let bump: Int32 = mutant(.skipVersionBump) ? 0 : 1
        for object in rowed {
            let isNew = object.cells == nil || object.state.contains(.resurrected)
            rows.append(
                object, version: isNew ? 1 : object.rowVersion + bump, includesTransient: false)
        }
        return rows.finish()
    }
}

extension NSManagedObject {
    /// Whether the object was dropped, or its insertion undone, before it was ever saved. A nested
    /// context also knows new objects of its parent, which are none of these.
    fileprivate final var willNeverHaveRow: Bool {
        if key >= 0 || state.contains(.inserted) { return false }
        return registry?.context?.parent == nil
    }
}
