import CoreDataModel
import CoreDataStore

/// The known destinations of one object, and the changes of its to-many relationships.
///
/// The storage is created when a relationship is first read or changed, and freed when the object
/// becomes a fault.
final class RelationshipStorage {
    /// The destinations of all to-one slots except for the one that the object itself stores.
    @exclusivity(unchecked) private var others: ContiguousArray<Destination> = []
    @exclusivity(unchecked) private var toMany: ContiguousArray<ToManyMembers?> = []
    @exclusivity(unchecked) var fetched: [String: [Any]] = [:]

    /// Destinations are held strongly, as in Core Data.
    private struct Destination {
        let slot: Int
        var object: NSManagedObject?
    }

    func otherDestination(_ slot: Int) -> NSManagedObject? {
        for other in others where other.slot == slot { return other.object }
        return nil
    }

    func setOtherDestination(_ slot: Int, _ object: NSManagedObject?) {
        if let index = others.firstIndex(where: { $0.slot == slot }) {
            others[index].object = object
        } else {
            others.append(Destination(slot: slot, object: object))
        }
    }

    func members(_ slot: Int) -> ToManyMembers? { slot < toMany.count ? toMany[slot] : nil }

    func makeMembers(_ slot: Int, of layout: EntityLayout) -> ToManyMembers {
        if let found = members(slot) { return found }
        if toMany.isEmpty { toMany = ContiguousArray(repeating: nil, count: layout.toMany.count) }
        let made = ToManyMembers(isOrdered: layout.target(ofToMany: slot).isOrdered)
        toMany[slot] = made
        return made
    }

    func setMembers(_ slot: Int, _ members: ToManyMembers?) {
        if slot < toMany.count { toMany[slot] = members }
    }

    var changedToManySlots: [Int] {
        toMany.indices.filter { toMany[$0]?.hasChanges == true }
    }

    /// Makes the current members the committed members. Called after a save.
    func commit() {
        for members in toMany { members?.commit() }
    }
}

/// The members of one to-many relationship of one object.
///
/// Until the relationship is read, only the differences from the store are recorded (`added`,
/// `removed`). So adding a child never reads the other children.
final class ToManyMembers {
    @exclusivity(unchecked) private(set) var isLoaded = false
    /// The members in order; valid only if `isLoaded` is true.
    @exclusivity(unchecked) private(set) var members = ObjectList()
    /// Differences from the last saved state.
    @exclusivity(unchecked) private(set) var added = ObjectList()
    @exclusivity(unchecked) private(set) var removed = ObjectList()
    /// The members after the last save; nil until the members are loaded. Usually the same array as
    /// `members`.
    @exclusivity(unchecked) private var saved: [NSManagedObject]?
    var committed: ContiguousArray<ObjectKey>? {
        saved.map { ContiguousArray($0.lazy.map(\.objectKey)) }
    }
    @exclusivity(unchecked) private var isOrderChanged = false
    /// The order that the program had set when the members were unloaded.
    private var wantedOrder: [NSManagedObject]?
    private let isOrdered: Bool
    /// Whether the saved state that `added` and `removed` refer to may have been replaced. A change
    /// that was reverted then still counts as a change, until the members are loaded again.
    @exclusivity(unchecked) private(set) var isStale = false

    init(isOrdered: Bool) { self.isOrdered = isOrdered }

    var hasChanges: Bool {
        !added.isEmpty || !removed.isEmpty || (isOrderChanged && !hasSavedOrder)
    }

    private var hasSavedOrder: Bool {
        guard isLoaded, let saved else { return false }
        return members.elementsEqual(saved)
    }

    /// Drops the recorded additions and removals for which the function returns false.
    func keepChanges(where isTrue: (_ member: NSManagedObject, _ isAdded: Bool) -> Bool) {
        for object in added.array where !isTrue(object, true) { added.remove(object) }
        for object in removed.array where !isTrue(object, false) { removed.remove(object) }
    }

    /// Stores the saved members and applies the recorded changes to them. Drops recorded changes
    /// that the saved members already contain.
    ///
    /// - Parameter isMember: whether the other end still links to a saved member.
    func load(_ saved: [NSManagedObject], where isMember: (NSManagedObject) -> Bool) {
        self.saved = saved
        if !removed.isEmpty {
            let known = IdentitySet(saved)
            for object in removed.array where !known.contains(object) { removed.remove(object) }
        }
        let stays = { [removed] in isMember($0) && !removed.contains($0) }
        members = ObjectList(saved.allSatisfy(stays) ? saved : saved.filter(stays))
        for object in added.array where !members.append(object) { added.remove(object) }
        assert(added.allSatisfy { members.contains($0) }, "an added object is not a member")
        assert(removed.allSatisfy { !members.contains($0) }, "a removed object is still a member")
        finishLoading()
    }

    /// Stores the saved members, all of which still belong to the relationship.
    func load(_ saved: [NSManagedObject]) {
        guard added.isEmpty, removed.isEmpty else { return load(saved, where: { _ in true }) }
        self.saved = saved
        members = ObjectList(saved)
        finishLoading()
    }

    private func finishLoading() {
        isLoaded = true
        isStale = false
        guard let wanted = wantedOrder else { return }
        wantedOrder = nil
        members = Self.order(members, by: wanted)
    }

    /// Sorts members by a given order. Members that are not in this order follow the others.
    private static func order(
        _ members: ObjectList, by wanted: [NSManagedObject]
    ) -> ObjectList {
        var ordered = ObjectList()
        for object in wanted where members.contains(object) { ordered.append(object) }
        for object in members { ordered.append(object) }
        assert(ordered.count <= members.count, "the ordered list has more objects than members")
        return ordered
    }

    /// - Returns: whether the object was added, as far as the members are known.
    @discardableResult
    func add(_ object: NSManagedObject) -> Bool {
        assert(!(added.contains(object) && removed.contains(object)))
        if isLoaded {
            guard members.append(object) else { return false }
            if !removed.remove(object) { added.append(object) } else { noteOrder() }
            return true
        }
        if removed.remove(object), !isStale { return true }
        return added.append(object)
    }

    @discardableResult
    func remove(_ object: NSManagedObject) -> Bool {
        defer { assert(!(added.contains(object) && removed.contains(object))) }
        if isLoaded, !members.remove(object) { return false }
        if added.remove(object), !isStale { return true }
        return removed.append(object)
    }

    func move(_ object: NSManagedObject, to index: Int) {
        guard members.move(object, to: index) else { return }
        noteOrder()
    }

    func setOrder(_ objects: [NSManagedObject]) {
        guard !members.elementsEqual(objects) else { return }
        members = ObjectList(objects)
        noteOrder()
    }

    private func noteOrder() { if isOrdered { isOrderChanged = true } }

    /// Unloads the members, and forgets their order. Also forgets the additions and removals for
    /// which `isKept` returns false.
    func keepLinks(where isKept: (_ member: NSManagedObject, _ isAdded: Bool) -> Bool) {
        unload()
        wantedOrder = nil
        isOrderChanged = false
        keepChanges(where: isKept)
    }

    /// Drops the recorded changes of one member and unloads the members. Called after the member's
    /// own side of the link was restored.
    func forget(_ object: NSManagedObject) {
        added.remove(object)
        removed.remove(object)
        unload()
    }

    func commit() {
        wantedOrder = nil
        isStale = false
        if isLoaded { saved = members.array }
        added = ObjectList()
        removed = ObjectList()
        isOrderChanged = false
    }

    func unload() {
        if hasSavedOrder { isOrderChanged = false }
        if isLoaded, isOrderChanged { wantedOrder = members.array }
        isStale = hasChanges
        assert(isLoaded || saved == nil, "members that are not loaded have a saved state")
        isLoaded = false
        saved = nil
        members = ObjectList()
    }

    func discard() {
        unload()
        wantedOrder = nil
        added = ObjectList()
        removed = ObjectList()
        isOrderChanged = false
    }
}
