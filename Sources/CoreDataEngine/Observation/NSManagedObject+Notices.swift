import CoreDataModel
import CoreDataStore
import Foundation

/// Telling the observers of an object's keys.
///
/// Whoever changes an object asks one bit of its state, which is set where somebody observes it or
/// has asked for its publisher; these methods come behind it. Nothing is told of what
/// `awakeFromFetch` and primitive accessors set, of a fault that fires, and of a reset.
extension NSManagedObject {
    /// Runs a change of the keys, which is told unless it is a part of one that is told already.
    final func noticing<T, E>(
        _ observed: @autoclosure () -> Set<String>,
        _ mutation: @autoclosure () -> KeyMutation = .setting, _ body: () throws(E) -> T
    ) throws(E) -> T {
        guard state.contains(.observed) else { return try body() }
        let keys = observed()
        guard !keys.isEmpty, let entry = ObservationTable.shared.entry(of: self),
            !entry.isChanging(keys)
        else { return try body() }
        // The context may be gone when the change is done.
        let queue = registry?.notices
        begin(keys, mutation(), entry)
        defer { finish(keys, entry, queue) }
        return try body()
    }

    /// Tells that a change of the key is about to happen; ``noticeDidChange(_:)`` ends it.
    final func noticeWillChange(_ key: String, _ mutation: KeyMutation = .setting) {
        guard let entry = ObservationTable.shared.entry(of: self) else { return }
        begin(observedKeys(key), mutation, entry)
    }

    /// Tells that members given by a set are about to come or go.
    final func noticeWillChange(
        _ key: String, _ kind: NSKeyValueSetMutationKind, _ objects: Set<AnyHashable>
    ) {
        guard let slot = layout.toManySlot(named: key) else { return noticeWillChange(key) }
        let members = objects.compactMap { $0 as? NSManagedObject }
        noticeWillChange(key, mutation(slot, kind, members))
    }

    /// Tells that members at places are about to come or go.
    final func noticeWillChange(_ key: String, _ kind: NSKeyValueChange, at indexes: IndexSet) {
        guard kind != .setting, let slot = layout.toManySlot(named: key) else {
            return noticeWillChange(key)
        }
        noticeWillChange(key, mutation(slot, kind, at: indexes, new: nil))
    }

    /// Tells that a change of the key has happened; nothing where none was about to.
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

    /// A key, and the composite attributes that it is an element of.
    private func observedKeys(_ key: String) -> Set<String> {
        guard layout.hasComposites, key.contains(".") else { return [key] }
        let names = key.split(separator: ".")
        return Set((1...names.count).map { names.prefix($0).joined(separator: ".") })
    }

    /// Whether the model has the key: a property, or an element of a composite attribute.
    final func isModelled(_ key: String) -> Bool {
        layout.valueSlot(named: key) != nil || layout.toManySlot(named: key) != nil
            || layout.elementSlots(ofComposite: key) != nil
    }

    // MARK: Values

    /// Runs a change of an attribute or a to-one relationship.
    @inline(never)
    final func noticing<T, E>(value slot: Int, _ body: () throws(E) -> T) throws(E) -> T {
        try noticing(observedKeys(layout.values[slot].name), .setting, body)
    }

    /// Runs a change of many properties, each of which may turn out to be as it was.
    final func noticing<T, E>(
        values slots: [Int], toMany toManySlots: [Int] = [], _ body: () throws(E) -> T
    ) throws(E) -> T {
        guard state.contains(.observed) else { return try body() }
        var keys: Set<String> = []
        for slot in slots { keys.formUnion(observedKeys(layout.values[slot].name)) }
        for slot in toManySlots { keys.insert(layout.toMany[slot].name) }
        return try noticing(keys, .setting, body)
    }

    /// Does what changes several objects, and has their observers told when all of it is done.
    @inline(__always)
    final func tellingTogether<T>(
        _ body: () throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        guard let queue = registryReference?._withUnsafeGuaranteedRef({ $0.notices }) ?? nil else {
            return try body()
        }
        return try queue.together(body)
    }

    // MARK: Members

    /// Runs what makes an object a member, at the end where the relationship is ordered.
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

    /// Runs what makes an object a member no longer.
    @inline(never)
    final func noticing(_ slot: Int, removing object: NSManagedObject, _ body: () -> Void) {
        if relationships?.members(slot)?.isKnownToBeGone(object) == true { return body() }
        let indexes = places(slot) { $0 === object }
        noticing(
            [layout.toMany[slot].name], .members(.removal, old: [object], indexes: indexes), body)
    }

    /// Runs a change of several members, told at once.
    final func noticing<E>(
        _ slot: Int, _ kind: NSKeyValueSetMutationKind, _ objects: [NSManagedObject],
        _ body: () throws(E) -> Void
    ) throws(E) {
        guard state.contains(.observed) else { return try body() }
        try noticing([layout.toMany[slot].name], mutation(slot, kind, objects), body)
    }

    /// Runs a change at places of an ordered relationship.
    final func noticing<E>(
        _ slot: Int, _ kind: NSKeyValueChange, at indexes: IndexSet,
        new: [NSManagedObject] = [], _ body: () throws(E) -> Void
    ) throws(E) {
        guard state.contains(.observed) else { return try body() }
        try noticing(
            [layout.toMany[slot].name], mutation(slot, kind, at: indexes, new: new), body)
    }

    /// ``noticing(_:_:_:_:)``, with what it changes of other objects told when it is done.
    final func noticingTogether(
        _ slot: Int, _ kind: NSKeyValueSetMutationKind, _ objects: [NSManagedObject],
        _ body: () -> Void
    ) {
        orTrap { () throws(CoreDataError) in
            try tellingTogether { noticing(slot, kind, objects, body) }
        }
    }

    /// ``noticing(_:_:at:new:_:)``, with what it changes of other objects told when it is done.
    final func noticingTogether(
        _ slot: Int, _ kind: NSKeyValueChange, at indexes: IndexSet, new: [NSManagedObject],
        _ body: () -> Void
    ) {
        orTrap { () throws(CoreDataError) in
            try tellingTogether { noticing(slot, kind, at: indexes, new: new, body) }
        }
    }

    /// What a change at places of an ordered relationship takes away and brings.
    final func mutation(
        _ slot: Int, _ kind: NSKeyValueChange, at indexes: IndexSet, new: [NSManagedObject]?
    ) -> KeyMutation {
        let members = (try? loadedMembers(slot).members.array) ?? []
        let old = kind == .insertion ? [] : indexes.filter(members.indices.contains)
        return .members(kind, old: old.map { members[$0] }, new: new, indexes: indexes)
    }

    /// What a change by a set of objects takes away and brings.
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

    /// The places of members in an ordered relationship.
    private func places(
        _ slot: Int, _ isMeant: (NSManagedObject) -> Bool
    ) -> IndexSet? {
        guard layout.toMany[slot].isOrdered, let members = try? loadedMembers(slot).members.array
        else { return nil }
        return IndexSet(members.indices.filter { isMeant(members[$0]) })
    }

    // MARK: The whole object

    /// Runs what makes a fault of a realised object: every property of it is told as changed.
    final func noticingFault(_ body: () -> Void) {
        guard state.contains(.observed) else { return body() }
        noticing(
            values: Array(layout.values.indices), toMany: Array(layout.toMany.indices), body)
    }

    /// Runs what puts another row under the object's changes: what differs is told, and each
    /// to-many relationship that had been read, whose members are read anew.
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

    /// Runs what puts properties back to what was saved; those that differ from it are told.
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
    /// Whether the object is a member as far as is known without reading.
    fileprivate func isKnown(_ object: NSManagedObject) -> Bool {
        isLoaded ? members.contains(object) : added.contains(object)
    }

    /// Whether the object is none as far as is known without reading.
    fileprivate func isKnownToBeGone(_ object: NSManagedObject) -> Bool {
        isLoaded ? !members.contains(object) : removed.contains(object)
    }
}

extension NSManagedObjectContext {
    /// Does what changes several objects, and has observers of their keys told when all is done.
    final func tellingTogether<T>(
        _ body: () throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        guard let queue = try noticeQueue() else { return try body() }
        return try queue.together(body)
    }
}
