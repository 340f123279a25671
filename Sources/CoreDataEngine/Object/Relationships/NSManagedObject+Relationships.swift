import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Reads and changes relationships. A change updates the inverse relationship immediately.
extension NSManagedObject {
    final func ensureRelationships() -> RelationshipStorage {
        if let relationships { return relationships }
        let made = RelationshipStorage()
        relationships = made
        return made
    }

    // MARK: To one

    package final func toOneDestination(_ slot: Int) throws(CoreDataError) -> NSManagedObject? {
        try prepareAccess()
        return destination(at: slot)
    }

    /// The destination of a to-one relationship of a realised object. Executes no SQL statement.
    final func destination(at slot: Int) -> NSManagedObject? {
        guard let key = destinationKey(at: slot) else { return nil }
        if let known = knownDestination(slot) { return known }
        let found = registryReference?._withUnsafeGuaranteedRef { $0.destination(for: key) }
        guard let object = found ?? nil else { return nil }
        setKnownDestination(slot, object)
        return object
    }

    /// The key of a to-one destination, read from the row without creating a `Value`.
    final func destinationKey(at slot: Int) -> ObjectKey? {
        if state.contains(.pending), let pending, pending.isSet(slot) {
            guard case .reference(let key) = pending[slot] else { return nil }
            return key
        }
        guard let cells, layoutReference._withUnsafeGuaranteedRef({ $0.isToOne(slot) }),
            !RowFormat.isNull(cells, slot: slot)
        else { return nil }
        return ObjectKey(packed: RowFormat.word(cells, slot: slot))
    }

    package final func setToOne(_ slot: Int, to object: NSManagedObject?) throws(CoreDataError) {
        try notifyingTogether { () throws(CoreDataError) in try changeToOne(slot, to: object) }
    }

    private func changeToOne(_ slot: Int, to object: NSManagedObject?) throws(CoreDataError) {
        try prepareChange()
        let target = layoutReference._withUnsafeGuaranteedRef { $0.target(ofToOne: slot) }
        guard let target else {
            throw CoreDataError(
                .invalidArgument,
                "'\(layout.values[slot].name)' is an attribute, not a relationship.")
        }
        if let object {
            try checkDestination(object, layout.values[slot].name, target.destinationIndex)
        }
        if isHeard { emitSet(slot, to: object.map { .reference($0.objectKey) } ?? .null) }
        let old = destination(at: slot)
        if old !== object, case .toMany(let inverse) = inverseToKeep(target.inverse) {
            // Undo restores the order of an ordered relationship, so the order before the change is
            // recorded.
            if let old { recorder?.noteOrder(old, inverse) }
            if let object {
                recorder?.noteOrder(object, inverse)
                object.readOrder(inverse, for: self)
            }
        }
        replaceDestination(slot, with: object)
        // Values that are set in `awakeFromFetch` do not update their inverses.
        if old === object || state.contains(.quiet) { return }
        if let object { noteLink(object) }
        switch inverseToKeep(target.inverse) {
        case .none: break
        case .value(let inverse):
            if let old { try old.clearDestination(inverse, if: self) }
            if let object { try object.takePartner(self, at: inverse, whose: slot) }
        case .toMany(let inverse):
            // The save compares the versions of the destinations, so their faults are fired before
            // the change.
            if let old { try old.fireForLink() }
            if let object { try object.fireForLink() }
            if !mutant(.skipInverseRemoval) { old?.removeMember(inverse, self) }
            if !mutant(.skipInverse) { object?.addMember(inverse, self) }
        }
    }

    /// Fires the fault of an object before it is linked or unlinked. A missing row is not an error,
    /// so that a link to a deleted row can be removed.
    private func fireForLink() throws(CoreDataError) { _ = try isReadable() }

    /// The inverse to update. `none` while `awakeFromFetch` runs: values that it sets do not change
    /// inverses.
    private func inverseToKeep(_ inverse: InverseSlot) -> InverseSlot {
        state.contains(.quiet) ? .none : inverse
    }

    /// Replaces the destination at this end of the relationship only.
    final func replaceDestination(_ slot: Int, with object: NSManagedObject?) {
        if state.contains(.observed) {
            return noticing(value: slot) { changeDestination(slot, to: object) }
        }
        changeDestination(slot, to: object)
    }

    @inline(__always)
    private func changeDestination(_ slot: Int, to object: NSManagedObject?) {
        noteWillChange(slot)
        recorder?.noteDestination(self, slot)
        storePending(object.map { .reference($0.objectKey) } ?? .null, at: slot)
        setKnownDestination(slot, object)
        noteChanged()
    }

    private func clearDestination(
        _ slot: Int, if partner: NSManagedObject
    ) throws(CoreDataError) {
        guard try isReadable(), destination(at: slot) === partner else { return }
        replaceDestination(slot, with: nil)
    }

    /// Sets the other side of a one-to-one relationship, and unlinks the former partner.
    private func takePartner(
        _ partner: NSManagedObject, at slot: Int, whose partnerSlot: Int
    ) throws(CoreDataError) {
        try prepareAccess()
        let old = destination(at: slot)
        if old === partner { return }
        try old?.clearDestination(partnerSlot, if: self)
        replaceDestination(slot, with: partner)
    }

    // MARK: To many

    /// The members of a to-many relationship; faults unless realised before.
    ///
    /// Executes one SELECT if the relationship has not been read yet.
    package final func toManyMembers(_ slot: Int) throws(CoreDataError) -> [NSManagedObject] {
        try loadedMembers(slot).members.array
    }

    final func loadedMembers(_ slot: Int) throws(CoreDataError) -> ToManyMembers {
        try prepareAccess()
        let storage = ensureMembers(slot)
        if !storage.isLoaded { try loadMembers(slot, into: storage) }
        return storage
    }

    final var hasChangedMembers: Bool {
        (relationships?.changedToManySlots ?? []).contains { slot in
            guard let members = relationships?.members(slot), members.isStale else { return true }
            // After a refresh, the store may already contain the changes, so the members must be
            // read.
            guard (try? loadedMembers(slot)) != nil else { return true }
            return relationships?.members(slot)?.hasChanges == true
        }
    }

    private func loadMembers(_ slot: Int, into storage: ToManyMembers) throws(CoreDataError) {
        guard cells != nil, let context = registry?.context, !state.contains(.inaccessible) else {
            storage.load([])
            return
        }
        let keys: ContiguousArray<ObjectKey>
        do throws(CoreDataError) {
            keys = try context.source.destinations(of: objectKey, slot: slot)
        } catch {
            throw error.concerning(objectKey)
        }
        takeMembers(slot, context.registry.objects(for: keys), in: context)
        if context.trace.isOn {
            context.trace.record(
                .relationshipFault(
                    object: objectName, relationship: layout.toMany[slot].name, rows: keys.count,
                    source: context.parent == nil ? .store : .parent))
        }
    }

    /// Stores the members that were read, without those that this context has deleted. A deleted
    /// object keeps its deleted members, so that undo can restore both.
    ///
    /// If the inverse is to-one, a member may have an unsaved value for it. This value then decides
    /// whether the object is a member. Recorded additions and removals that contradict it are
    /// dropped.
    final func takeMembers(
        _ slot: Int, _ read: [NSManagedObject], in context: NSManagedObjectContext
    ) {
        let storage = ensureMembers(slot)
        guard context.changes.hasChanges else {
            storage.load(read)
            return
        }
        let isDeleted = state.contains(.deleted)
        let isGone = { (member: NSManagedObject) in
            !isDeleted && member.state.contains(.propagated)
        }
        let target = layoutReference._withUnsafeGuaranteedRef { $0.target(ofToMany: slot) }
        guard case .value(let inverse) = target.inverse else {
            storage.load(read, where: { !isGone($0) })
            return
        }
        storage.keepChanges { member, isAdded in
            if member.state.contains(.propagated), !(isDeleted && isAdded) { return !isAdded }
            return member.pending?.isSet(inverse) == true
                && (member.destination(at: inverse) === self) == isAdded
        }
        storage.load(read) { object in
            !isGone(object)
                && (object.pending?.isSet(inverse) != true
                    || object.destination(at: inverse) === self)
        }
    }

    package final func setToMany(
        _ slot: Int, to objects: [NSManagedObject]
    ) throws(CoreDataError) {
        for object in objects {
            try checkDestination(
                object, layout.toMany[slot].name, layout.toMany[slot].destinationIndex)
        }
        try notifyingTogether { () throws(CoreDataError) in
            try noticing([layout.toMany[slot].name]) { () throws(CoreDataError) in
                try replaceMembers(slot, with: objects)
            }
        }
    }

    private func replaceMembers(
        _ slot: Int, with objects: [NSManagedObject]
    ) throws(CoreDataError) {
        let storage = try loadedMembers(slot)
        // Duplicates in an array count once.
        var wanted = ObjectList()
        for object in objects { wanted.append(object) }
        for old in storage.members.array where !wanted.contains(old) { try unlink(slot, old) }
        for object in wanted where !storage.members.contains(object) { try link(slot, object) }
        if layout.toMany[slot].isOrdered {
            recorder?.noteOrder(self, slot)
            storage.setOrder(Array(wanted))
            noteChanged()
            emitOrder(slot, Array(wanted))
        }
    }

    package final func link(
        _ slot: Int, _ object: NSManagedObject, at index: Int? = nil
    ) throws(CoreDataError) {
        try prepareChange()
        let relationship = layout.toMany[slot]
        try checkDestination(object, relationship.name, relationship.destinationIndex)
        try notifyingTogether { () throws(CoreDataError) in
            guard let index, relationship.isOrdered, state.contains(.observed) else {
                return try makeLink(slot, relationship, object, at: index)
            }
            try noticing(slot, .insertion, at: IndexSet(integer: index), new: [object]) {
                () throws(CoreDataError) in
                try makeLink(slot, relationship, object, at: index)
            }
        }
    }

    private func makeLink(
        _ slot: Int, _ relationship: ToManySlot, _ object: NSManagedObject, at index: Int?
    ) throws(CoreDataError) {
        let inverse = inverseToKeep(relationship.inverse)
        if isHeard, !inverse.isValue { listener?.note(.linked(self, slot: slot, object)) }
        switch inverse {
        case .none: addMember(slot, object)
        case .value(let inverse): try object.setToOne(inverse, to: self)
        case .toMany(let inverse):
            try object.prepareAccess()
            addMember(slot, object)
            object.addMember(inverse, self)
            noteLink(object)
        }
        if let index, relationship.isOrdered {
            recorder?.noteOrder(self, slot)
            try loadedMembers(slot).move(object, to: index)
            emitOrder(slot, try loadedMembers(slot).members.array)
        }
    }

    /// Reports an order that the program has set. A listener cannot derive it from the reported
    /// links.
    private func emitOrder(_ slot: Int, _ members: [NSManagedObject]) {
        if isHeard, !state.contains(.quiet) {
            listener?.note(.ordered(self, slot: slot, members))
        }
    }

    /// Marks each end that is deleted, so that its delete rules are applied again. Otherwise the
    /// row at the other end would keep the key of a deleted object.
    private func noteLink(_ other: NSManagedObject) {
        noteLinkEnd()
        other.noteLinkEnd()
    }

    private func noteLinkEnd() {
        guard state.isSuperset(of: [.deleted, .propagated]) else { return }
        registry?.context?.changes.noteUnpropagated(self)
    }

    /// Used after a deletion was undone: the delete rules had removed this object from its
    /// destinations. Drops the links to destinations that do not link back.
    final func dropOneSidedLinks() throws(CoreDataError) {
        for slot in layout.values.indices {
            guard let target = layout.target(ofToOne: slot), target.inverse != .none,
                let other = try toOneDestination(slot), try !other.leads(to: self, target.inverse)
            else { continue }
            replaceDestination(slot, with: nil)
        }
        for slot in layout.toMany.indices {
            let inverse = layout.toMany[slot].inverse
            guard inverse != .none else { continue }
            for other in try toManyMembers(slot) where try !other.leads(to: self, inverse) {
                removeMember(slot, other)
            }
        }
    }

    /// Whether the inverse of this object contains the other object. False if this object is
    /// deleted or has no row.
    private func leads(
        to object: NSManagedObject, _ inverse: InverseSlot
    ) throws(CoreDataError) -> Bool {
        guard !state.contains(.deleted), try isReadable() else { return false }
        switch inverse {
        case .none: return true
        case .value(let slot): return try toOneDestination(slot) === object
        case .toMany(let slot): return try loadedMembers(slot).members.contains(object)
        }
    }

    /// Removes the object from the members; does nothing if it is not a member.
    ///
    /// Executes one SELECT to read the members if the inverse is not to-one.
    package final func unlink(_ slot: Int, _ object: NSManagedObject) throws(CoreDataError) {
        try prepareChange()
        try notifyingTogether { () throws(CoreDataError) in try cutLink(slot, object) }
    }

    private func cutLink(_ slot: Int, _ object: NSManagedObject) throws(CoreDataError) {
        let inverse = inverseToKeep(layout.toMany[slot].inverse)
        if case .value(let inverse) = inverse {
            guard try object.toOneDestination(inverse) === self else { return }
            return try object.setToOne(inverse, to: nil)
        }
        guard try loadedMembers(slot).members.contains(object) else { return }
        if isHeard { listener?.note(.unlinked(self, slot: slot, object)) }
        if case .toMany(let inverse) = inverse {
            try object.fireForLink()
            removeMember(slot, object)
            object.removeMember(inverse, self)
        } else {
            removeMember(slot, object)
        }
    }

    /// Whether a member can be added without reading rows, notifying observers or recording for
    /// undo.
    final var takesMembersQuietly: Bool {
        state.isDisjoint(
            with: [
                .fault, .inaccessible, .invalidated, .deleted, .quiet, .observed, .heard, .checked,
            ])
    }

    /// Adds a member at this end of the relationship only. Never reads the other members.
    final func addMember(_ slot: Int, _ object: NSManagedObject) {
        if state.contains(.observed) {
            return noticing(slot, adding: object) { insertMember(slot, object) }
        }
        insertMember(slot, object)
    }

    @inline(__always)
    private func insertMember(_ slot: Int, _ object: NSManagedObject) {
        pinVersion()
        recorder?.noteOrder(self, slot)
        readOrder(slot, for: object)
        guard ensureMembers(slot).add(object) else { return }
        recorder?.noteAdded(object, to: self, slot)
        if !mutant(.linkEnlistsNobody) { noteChanged() }
    }

    /// Reads an ordered relationship before a removed member is added again. The member is then
    /// appended; otherwise it would return to its position in the store.
    private func readOrder(_ slot: Int, for object: NSManagedObject) {
        guard let members = relationships?.members(slot), !members.isLoaded,
            members.removed.contains(object), layout.toMany[slot].isOrdered
        else { return }
        _ = try? loadedMembers(slot)
    }

    final func removeMember(_ slot: Int, _ object: NSManagedObject) {
        if state.contains(.observed) {
            return noticing(slot, removing: object) { dropMember(slot, object) }
        }
        dropMember(slot, object)
    }

    @inline(__always)
    private func dropMember(_ slot: Int, _ object: NSManagedObject) {
        pinVersion()
        recorder?.noteOrder(self, slot)
        guard ensureMembers(slot).remove(object) else { return }
        recorder?.noteRemoved(object, from: self, slot)
        noteChanged()
    }

    /// Removes a member that an unsaved change has linked to another object. Records nothing for
    /// undo at this end.
    final func loseMember(_ slot: Int, _ object: NSManagedObject) {
        pinVersion()
        if state.contains(.inaccessible) { return }
        let members = ensureMembers(slot)
        if members.removed.contains(object) { return }
        noticing(values: [], toMany: [slot]) {
            members.unload()
            members.remove(object)
            noteChanged()
        }
    }

    /// Fires the fault of an object that is about to change. The save then compares the row with
    /// the version before the change.
    private func pinVersion() {
        if !state.contains(.fault) { return }
        // A merge in a child context must not request the row from the parent, so the save fires
        // the fault later.
        if registry?.context?.isTakingArrivals == true { return }
        // A missing row is reported by the save, as for any other change of the object.
        _ = try? prepareAccess()
    }

    // MARK: Checks

    private func checkDestination(
        _ object: NSManagedObject, _ name: @autoclosure () -> String, _ destinationIndex: Int
    ) throws(CoreDataError) {
        guard object.registryReference?.toOpaque() == registryReference?.toOpaque() else {
            throw CoreDataError(
                .invalidArgument,
                "Illegal attempt to establish a relationship '\(name())' between objects in"
                    + " different contexts (source = \(self) , destination = \(object.identityText)"
                    + " data: <of another queue>))")
        }
        let index = object.layoutReference._withUnsafeGuaranteedRef { $0.index }
        guard index == destinationIndex || object.isKind(of: destinationIndex) else {
            throw CoreDataError(
                .invalidArgument,
                "Unacceptable type of value for to-one relationship: property = \"\(name())\"; the"
                    + " destination must not be a \(object.layout.name).")
        }
    }

    private func isKind(of index: Int) -> Bool {
        var layout: EntityLayout? = layout
        while let current = layout {
            if current.index == index { return true }
            layout = current.superIndex.flatMap { registry?.layout(at: $0) }
        }
        return registry == nil
    }
}
