import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Changes of to-many relationships, for accessor functions that were written as `@NSManaged`.
///
/// Inverses are maintained. Functions with positions require an ordered relationship; they trap if
/// it is unordered.
extension NSManagedObject {
    /// Adds a member. If the relationship is ordered, the member is added at the end.
    public final func addMember(_ member: NSManagedObject, _ key: ManagedKey) {
        addMembers([member], key)
    }

    /// Adds members in their order.
    public final func addMembers(_ members: some Sequence<some NSManagedObject>, _ key: ManagedKey)
    {
        changeMembers(key, .union, members) {
            if isOrdered(key) {
                let list = mutableOrderedSetValue(forKey: key.name)
                for member in members { list.add(member) }
            } else {
                let set = mutableSetValue(forKey: key.name)
                for member in members { set.add(member) }
            }
        }
    }

    /// Adds members.
    public final func addMembers(_ members: NSSet, _ key: ManagedKey) {
        addMembers(Self.objects(members.allObjects, key), key)
    }

    /// Adds members in their order.
    public final func addMembers(_ members: NSOrderedSet, _ key: ManagedKey) {
        addMembers(Self.objects(members.array, key), key)
    }

    /// Removes a member; does nothing if the object is not a member.
    public final func removeMember(_ member: NSManagedObject, _ key: ManagedKey) {
        removeMembers([member], key)
    }

    /// Removes members.
    public final func removeMembers(
        _ members: some Sequence<some NSManagedObject>, _ key: ManagedKey
    ) {
        changeMembers(key, .minus, members) {
            if isOrdered(key) {
                let list = mutableOrderedSetValue(forKey: key.name)
                for member in members { list.remove(member) }
            } else {
                let set = mutableSetValue(forKey: key.name)
                for member in members { set.remove(member) }
            }
        }
    }

    /// Removes members.
    public final func removeMembers(_ members: NSSet, _ key: ManagedKey) {
        removeMembers(Self.objects(members.allObjects, key), key)
    }

    /// Removes members.
    public final func removeMembers(_ members: NSOrderedSet, _ key: ManagedKey) {
        removeMembers(Self.objects(members.array, key), key)
    }

    // MARK: By position

    /// Inserts a member.
    public final func insertMember(_ member: NSManagedObject, at index: Int, _ key: ManagedKey) {
        mutableOrderedSetValue(forKey: key.name).insert(member, at: index)
    }

    /// Inserts members, each at its final position.
    public final func insertMembers(
        _ members: [NSManagedObject], at indexes: NSIndexSet, _ key: ManagedKey
    ) {
        let list = mutableOrderedSetValue(forKey: key.name)
        changeMembers(key, .insertion, at: indexes, members) {
            for (index, member) in zip(Self.positions(indexes), members) {
                list.insert(member, at: index)
            }
        }
    }

    /// Inserts members, each at its final position.
    public final func insertMembers(
        _ members: NSArray, at indexes: NSIndexSet, _ key: ManagedKey
    ) {
        insertMembers(Self.objects(Array(members), key), at: indexes, key)
    }

    /// Removes the member at a position.
    public final func removeMember(at index: Int, _ key: ManagedKey) {
        mutableOrderedSetValue(forKey: key.name).removeObject(at: index)
    }

    /// Removes the members at the positions.
    public final func removeMembers(at indexes: NSIndexSet, _ key: ManagedKey) {
        let list = mutableOrderedSetValue(forKey: key.name)
        changeMembers(key, .removal, at: indexes, []) {
            for index in Self.positions(indexes).reversed() { list.removeObject(at: index) }
        }
    }

    /// Replaces the member at a position.
    public final func replaceMember(
        at index: Int, with member: NSManagedObject, _ key: ManagedKey
    ) {
        mutableOrderedSetValue(forKey: key.name).replaceObject(at: index, with: member)
    }

    /// Replaces the members at the positions.
    public final func replaceMembers(
        at indexes: NSIndexSet, with members: [NSManagedObject], _ key: ManagedKey
    ) {
        let list = mutableOrderedSetValue(forKey: key.name)
        changeMembers(key, .replacement, at: indexes, members) {
            for (index, member) in zip(Self.positions(indexes), members) {
                list.replaceObject(at: index, with: member)
            }
        }
    }

    /// Replaces the members at the positions.
    public final func replaceMembers(
        at indexes: NSIndexSet, with members: NSArray, _ key: ManagedKey
    ) {
        replaceMembers(at: indexes, with: Self.objects(Array(members), key), key)
    }

    /// Changes several members. Observers receive one notification.
    private func changeMembers(
        _ key: ManagedKey, _ kind: NSKeyValueSetMutationKind,
        _ members: some Sequence<some NSManagedObject>, _ body: () -> Void
    ) {
        guard state.contains(.observed), let slot = toManySlot(key) else { return body() }
        noticingTogether(slot, kind, members.map { $0 }, body)
    }

    private func changeMembers(
        _ key: ManagedKey, _ kind: NSKeyValueChange, at indexes: NSIndexSet,
        _ members: [NSManagedObject], _ body: () -> Void
    ) {
        guard state.contains(.observed), let slot = toManySlot(key) else { return body() }
        noticingTogether(slot, kind, at: indexes as IndexSet, new: members, body)
    }

    private func isOrdered(_ key: ManagedKey) -> Bool {
        toManySlot(key).map { layout.toMany[$0].isOrdered } ?? false
    }

    private static func positions(_ indexes: NSIndexSet) -> [Int] {
        Array(indexes as IndexSet)
    }

    private static func objects(_ members: [Any], _ key: ManagedKey) -> [NSManagedObject] {
        members.map { member in
            if let object = member as? NSManagedObject { return object }
            trap("'\(key)' takes managed objects, not a \(type(of: member)).")
        }
    }
}
