import CoreDataModel
import CoreDataStore

/// The destinations that one object has met, and the changes of its to-many relationships.
///
/// Made when a relationship is first read or changed, dropped when the object becomes a fault.
final class RelationshipStorage {
    /// Destinations of to-one slots but the first that was met, which the object itself holds.
    @exclusivity(unchecked) private var others: ContiguousArray<Destination> = []
    /// Index = to-many slot.
    @exclusivity(unchecked) private var toMany: ContiguousArray<ToManyMembers?> = []
    /// What fetched properties found, by name.
    @exclusivity(unchecked) var fetched: [String: [Any]] = [:]

    /// Destinations are held strongly, as Core Data does.
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

    /// The slots of to-many relationships with unsaved changes.
    var changedToManySlots: [Int] {
        toMany.indices.filter { toMany[$0]?.hasChanges == true }
    }

    /// After a save: what is realised now is what is committed.
    func commit() {
        for members in toMany { members?.commit() }
    }
}

/// The members of one to-many relationship of one object.
///
/// Until the relationship is read, only the differences to the store are kept (`added`,
/// `removed`), so that linking a child never reads its siblings.
final class ToManyMembers {
    @exclusivity(unchecked) private(set) var isLoaded = false
    /// The members in order; meaningful once loaded.
    @exclusivity(unchecked) private(set) var members = ObjectList()
    /// Differences to the last saved state.
    @exclusivity(unchecked) private(set) var added = ObjectList()
    @exclusivity(unchecked) private(set) var removed = ObjectList()
    /// The members that the last save left; nil until loaded. Mostly the same array as `members`.
    @exclusivity(unchecked) private var saved: [NSManagedObject]?
    /// The members that the last save left, by key; nil until loaded.
    var committed: ContiguousArray<ObjectKey>? {
        saved.map { ContiguousArray($0.lazy.map(\.objectKey)) }
    }
    @exclusivity(unchecked) private var isOrderChanged = false
    /// The order that was made before the members were unloaded.
    private var wantedOrder: [NSManagedObject]?
    private let isOrdered: Bool
    /// Whether the differences are to a state that may have been replaced since: what is taken back
    /// then is a change all the same, until the members are loaded again.
    @exclusivity(unchecked) private(set) var isStale = false

    init(isOrdered: Bool) { self.isOrdered = isOrdered }

    /// Whether the members or their order differ from the last saved state.
    var hasChanges: Bool {
        !added.isEmpty || !removed.isEmpty || (isOrderChanged && !hasSavedOrder)
    }

    /// Whether the members stand in the saved order again.
    private var hasSavedOrder: Bool {
        guard isLoaded, let saved else { return false }
        return members.elementsEqual(saved)
    }

    /// Drops those changes that are no longer true.
    func keepChanges(where isTrue: (_ member: NSManagedObject, _ isAdded: Bool) -> Bool) {
        for object in added.array where !isTrue(object, true) { added.remove(object) }
        for object in removed.array where !isTrue(object, false) { removed.remove(object) }
    }

    /// Takes the saved members and applies what has changed since. A change to what is saved
    /// already is none.
    ///
    /// - Parameter isMember: whether a saved member is one by what it says itself.
    func load(_ saved: [NSManagedObject], where isMember: (NSManagedObject) -> Bool) {
        self.saved = saved
        if !removed.isEmpty {
            let known = IdentitySet(saved)
            for object in removed.array where !known.contains(object) { removed.remove(object) }
        }
        let stays = { [removed] in isMember($0) && !removed.contains($0) }
        members = ObjectList(saved.allSatisfy(stays) ? saved : saved.filter(stays))
        for object in added.array where !members.append(object) { added.remove(object) }
        assert(added.allSatisfy { members.contains($0) }, "what was added is a member")
        assert(removed.allSatisfy { !members.contains($0) }, "what was removed is none")
        finishLoading()
    }

    /// Takes the saved members, all of which are members by what they say.
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

    /// Members that have a place take it; the others follow.
    private static func order(
        _ members: ObjectList, by wanted: [NSManagedObject]
    ) -> ObjectList {
        var ordered = ObjectList()
        for object in wanted where members.contains(object) { ordered.append(object) }
        for object in members { ordered.append(object) }
        assert(ordered.count <= members.count, "an order makes nobody a member")
        return ordered
    }

    /// - Returns: whether the object was not a member before (as far as is known).
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

    /// Moves a member; for ordered relationships.
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

    /// Forgets what was read, its order, and those changes that are not to be kept.
    func keepLinks(where isKept: (_ member: NSManagedObject, _ isAdded: Bool) -> Bool) {
        unload()
        wantedOrder = nil
        isOrderChanged = false
        keepChanges(where: isKept)
    }

    /// The object's own side of the link was undone; what the store says is read anew.
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

    /// Forgets what was read, keeps what was changed.
    func unload() {
        if hasSavedOrder { isOrderChanged = false }
        if isLoaded, isOrderChanged { wantedOrder = members.array }
        isStale = hasChanges
        assert(isLoaded || saved == nil, "only what was read has been saved")
        isLoaded = false
        saved = nil
        members = ObjectList()
    }

    /// Forgets the changes as well.
    func discard() {
        unload()
        wantedOrder = nil
        added = ObjectList()
        removed = ObjectList()
        isOrderChanged = false
    }
}
