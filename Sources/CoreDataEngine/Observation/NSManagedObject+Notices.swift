import CoreDataModel
import CoreDataStore
import Foundation

/// Notifies the observers of an object's keys.
///
/// Code that changes an object calls these methods if the object's `observed` state is set. It is
/// set when an observer is added to the object, or its publisher is requested. Observers are not
/// notified of values set by `awakeFromFetch` or by primitive accessors, of firing faults, or of a
/// reset.
extension NSManagedObject {
    /// Runs a change of the keys and notifies observers, unless an enclosing change already does.
    final func noticing<T, E>(
        _ observed: @autoclosure () -> Set<String>,
        _ mutation: @autoclosure () -> KeyMutation = .setting, _ body: () throws(E) -> T
    ) throws(E) -> T {
        guard state.contains(.observed) else { return try body() }
        let keys = observed()
        guard !keys.isEmpty, let entry = ObservationTable.shared.entry(of: self),
            !entry.isChanging(keys)
        else { return try body() }
        // The queue is read first, because the change may free the context.
        let queue = registry?.notices
        begin(keys, mutation(), entry)
        defer { finish(keys, entry, queue) }
        return try body()
    }

    /// Reports that a change of the key is about to happen. The caller must call
    /// ``noticeDidChange(_:)`` after the change.
    final func noticeWillChange(_ key: String, _ mutation: KeyMutation = .setting) {
        guard let entry = ObservationTable.shared.entry(of: self) else { return }
        begin(observedKeys(key), mutation, entry)
    }

    /// Reports that members given by a set are about to be added or removed.
    final func noticeWillChange(
        _ key: String, _ kind: NSKeyValueSetMutationKind, _ objects: Set<AnyHashable>
    ) {
        guard let slot = layout.toManySlot(named: key) else { return noticeWillChange(key) }
        let members = objects.compactMap { $0 as? NSManagedObject }
        noticeWillChange(key, mutation(slot, kind, members))
    }

    /// Reports that members at indexes are about to be added or removed.
    final func noticeWillChange(_ key: String, _ kind: NSKeyValueChange, at indexes: IndexSet) {
        guard kind != .setting, let slot = layout.toManySlot(named: key) else {
            return noticeWillChange(key)
        }
        noticeWillChange(key, mutation(slot, kind, at: indexes, new: nil))
    }

    /// Reports that a change of the key has happened. Does nothing if the change was not announced
    /// before.
    final func noticeDidChange(_ key: String) {
        guard let entry = ObservationTable.shared.entry(of: self) else { return }
        finish(observedKeys(key), entry, registry?.notices)
    }

    private func begin(_ keys: Set<String>, _ mutation: KeyMutation, _ entry: ObservedObject) {
        var change = OpenChange(keys)
        if !state.contains(.quiet) {
            if let publisher = entry.publisher, keys.contains(where: isModelled) {
                publisher.send()
            }
            for observation in ObservationTable.shared.observations(of: entry)
            where observation.isConcerned(by: keys) {
                change.add(observation, mutation)
            }
        }
        entry.open.append(change)
    }

    private func finish(_ keys: Set<String>, _ entry: ObservedObject, _ queue: NoticeQueue?) {
        guard let index = entry.open.lastIndex(where: { $0.keys == keys }) else { return }
        let notices = entry.open.remove(at: index).notices
        if notices.isEmpty { return }
        if let queue { return queue.add(notices) }
        for notice in notices { notice.deliver() }
    }

    /// The key itself, and the composite attributes that contain it if it is the path of an
    /// element.
    private func observedKeys(_ key: String) -> Set<String> {
        guard layout.hasComposites, key.contains(".") else { return [key] }
        let names = key.split(separator: ".")
        return Set((1...names.count).map { names.prefix($0).joined(separator: ".") })
    }

    /// Whether the key is a property of the model or an element of a composite attribute.
    final func isModelled(_ key: String) -> Bool {
        layout.valueSlot(named: key) != nil || layout.toManySlot(named: key) != nil
            || layout.elementSlots(ofComposite: key) != nil
    }

    // MARK: Values

    @inline(never)
    final func noticing<T, E>(value slot: Int, _ body: () throws(E) -> T) throws(E) -> T {
        try noticing(observedKeys(layout.values[slot].name), .setting, body)
    }

    /// Runs a change of several properties, some of which may keep their values.
    final func noticing<T, E>(
        values slots: [Int], toMany toManySlots: [Int] = [], _ body: () throws(E) -> T
    ) throws(E) -> T {
        guard state.contains(.observed) else { return try body() }
        var keys: Set<String> = []
        for slot in slots { keys.formUnion(observedKeys(layout.values[slot].name)) }
        for slot in toManySlots { keys.insert(layout.toMany[slot].name) }
        return try noticing(keys, .setting, body)
    }

    /// Runs changes of several objects, and notifies their observers after the last change.
    @inline(__always)
    final func notifyingTogether<T>(
        _ body: () throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        guard let queue = registryReference?._withUnsafeGuaranteedRef({ $0.notices }) ?? nil else {
            return try body()
        }
        return try queue.together(body)
    }

    // MARK: Members

    @inline(never)
    final func noticing(_ slot: Int, adding object: NSManagedObject, _ body: () -> Void) {
        if relationships?.members(slot)?.isKnown(object) == true { return body() }
        var indexes: IndexSet?
        if layout.toMany[slot].isOrdered, let members = try? loadedMembers(slot).members {
            indexes = IndexSet(integer: members.count)
        }
        noticing(
            [layout.toMany[slot].name], .members(.insertion, new: [object], indexes: indexes), body)
    }

    @inline(never)
    final func noticing(_ slot: Int, removing object: NSManagedObject, _ body: () -> Void) {
        if relationships?.members(slot)?.isKnownToBeGone(object) == true { return body() }
        let indexes = places(slot) { $0 === object }
        noticing(
            [layout.toMany[slot].name], .members(.removal, old: [object], indexes: indexes), body)
    }

    final func noticing<E>(
        _ slot: Int, _ kind: NSKeyValueSetMutationKind, _ objects: [NSManagedObject],
        _ body: () throws(E) -> Void
    ) throws(E) {
        guard state.contains(.observed) else { return try body() }
        try noticing([layout.toMany[slot].name], mutation(slot, kind, objects), body)
    }

    /// Runs a change at indexes of an ordered relationship and notifies observers.
    final func noticing<E>(
        _ slot: Int, _ kind: NSKeyValueChange, at indexes: IndexSet,
        new: [NSManagedObject] = [], _ body: () throws(E) -> Void
    ) throws(E) {
        guard state.contains(.observed) else { return try body() }
        try noticing(
            [layout.toMany[slot].name], mutation(slot, kind, at: indexes, new: new), body)
    }

    /// Calls ``noticing(_:_:_:_:)``, then notifies the observers of other objects that the change
    /// has affected.
    final func noticingTogether(
        _ slot: Int, _ kind: NSKeyValueSetMutationKind, _ objects: [NSManagedObject],
        _ body: () -> Void
    ) {
        orTrap { () throws(CoreDataError) in
            try notifyingTogether { noticing(slot, kind, objects, body) }
        }
    }

    /// Calls ``noticing(_:_:at:new:_:)``, then notifies the observers of other objects that the
    /// change has affected.
    final func noticingTogether(
        _ slot: Int, _ kind: NSKeyValueChange, at indexes: IndexSet, new: [NSManagedObject],
        _ body: () -> Void
    ) {
        orTrap { () throws(CoreDataError) in
            try notifyingTogether { noticing(slot, kind, at: indexes, new: new, body) }
        }
    }

    final func mutation(
        _ slot: Int, _ kind: NSKeyValueChange, at indexes: IndexSet, new: [NSManagedObject]?
    ) -> KeyMutation {
        let members = (try? loadedMembers(slot).members.array) ?? []
        let old = kind == .insertion ? [] : indexes.filter(members.indices.contains)
        return .members(kind, old: old.map { members[$0] }, new: new, indexes: indexes)
    }

    final func mutation(
        _ slot: Int, _ kind: NSKeyValueSetMutationKind, _ objects: [NSManagedObject]
    ) -> KeyMutation {
        let members = (try? loadedMembers(slot).members) ?? ObjectList()
        let given = ObjectList(objects)
        let coming = given.filter { !members.contains($0) }
        let leaving = members.filter { given.contains($0) == (kind == .minus) }
        let isOrdered = layout.toMany[slot].isOrdered
        switch kind {
        case .union:
            let end = members.count
            return .members(
                .insertion, new: coming,
                indexes: isOrdered ? IndexSet(end..<end + coming.count) : nil)
        case .minus, .intersect:
            let gone = ObjectList(leaving)
            return .members(
                .removal, old: leaving, indexes: places(slot) { gone.contains($0) })
        case .set:
            return .members(.replacement, old: leaving, new: coming)
        }
    }

    private func places(
        _ slot: Int, _ isMeant: (NSManagedObject) -> Bool
    ) -> IndexSet? {
        guard layout.toMany[slot].isOrdered, let members = try? loadedMembers(slot).members.array
        else { return nil }
        return IndexSet(members.indices.filter { isMeant(members[$0]) })
    }

    // MARK: The whole object

    /// Runs code that turns a realised object into a fault: all its properties are reported as
    /// changed.
    final func noticingFault(_ body: () -> Void) {
        guard state.contains(.observed) else { return body() }
        noticing(
            values: Array(layout.values.indices), toMany: Array(layout.toMany.indices), body)
    }

    /// Runs code that replaces the object's row. Reports the values that differ. Also reports each
    /// to-many relationship that had been read, because its members will be read again.
    final func noticingRow(_ row: UnsafeRawPointer, _ body: () -> Void) {
        guard state.contains(.observed), !state.contains(.fault), cells != nil else {
            return body()
        }
        let values = layout.values.indices.filter { slot in
            if layout.values[slot].isTransient { return false }
            let old = committedValue(at: slot)
            let isKept = pending?.isSet(slot) == true && currentValue(at: slot) != old
            return !isKept
                && old != RowFormat.value(row, slot: slot, kind: layout.values[slot].kind)
        }
        let toMany = layout.toMany.indices.filter {
            relationships?.members($0)?.isLoaded == true
        }
        noticing(values: values, toMany: toMany, body)
    }

    /// Runs code that restores properties to their saved values, and reports those that change.
    final func noticingRestore(
        _ slots: [Int]? = nil, _ body: () -> Void
    ) {
        guard state.contains(.observed) else { return body() }
        let candidates = slots ?? pending?.mask.slots ?? []
        let values = candidates.filter {
            pending?.isSet($0) == true && currentValue(at: $0) != committedValue(at: $0)
        }
        let toMany = slots == nil ? relationships?.changedToManySlots ?? [] : []
        noticing(values: values, toMany: toMany, body)
    }
}

extension ToManyMembers {
    fileprivate func isKnown(_ object: NSManagedObject) -> Bool {
        isLoaded ? members.contains(object) : added.contains(object)
    }

    fileprivate func isKnownToBeGone(_ object: NSManagedObject) -> Bool {
        isLoaded ? !members.contains(object) : removed.contains(object)
    }
}

extension NSManagedObjectContext {
    final func notifyingTogether<T>(
        _ body: () throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        guard let queue = try noticeQueue() else { return try body() }
        return try queue.together(body)
    }
}
