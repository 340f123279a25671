import CoreDataModel
import CoreDataStore
import Foundation

/// A live view of a to-many relationship: changes go to the object and keep inverses.
///
/// Returned by `mutableSetValue(forKey:)`; belongs to the object's context.
final class MutableRelationshipSet: NSMutableSet {
    private let owner: NSManagedObject?
    private let slot: Int

    init(owner: NSManagedObject, slot: Int) {
        self.owner = owner
        self.slot = slot
        super.init(capacity: 0)
    }

    required init(capacity numItems: Int) {
        owner = nil
        slot = 0
        super.init(capacity: numItems)
    }

    required convenience init?(coder: NSCoder) { nil }

    private var members: [NSManagedObject] { owner?.readObjects(slot) ?? [] }

    override var count: Int { members.count }

    override func member(_ object: Any) -> Any? {
        members.first { $0 === object as? NSManagedObject }
    }

    override func objectEnumerator() -> NSEnumerator { MemberEnumerator(members) }

    override func add(_ object: Any) {
        guard let owner, let object = object as? NSManagedObject else { return }
        orTrap { () throws(CoreDataError) in
            if try !owner.loadedMembers(slot).members.contains(object) {
                try owner.link(slot, object)
            }
        }
    }

    override func remove(_ object: Any) {
        guard let owner, let object = object as? NSManagedObject else { return }
        orTrap { () throws(CoreDataError) in try owner.unlink(slot, object) }
    }

    // Each of these is told to observers at once.

    override func union(_ otherSet: Set<AnyHashable>) {
        change(.union, Self.objects(otherSet)) { for object in $0 { add(object) } }
    }

    override func addObjects(from array: [Any]) {
        change(.union, array.compactMap { $0 as? NSManagedObject }) {
            for object in $0 { add(object) }
        }
    }

    override func minus(_ otherSet: Set<AnyHashable>) {
        change(.minus, Self.objects(otherSet)) { for object in $0 { remove(object) } }
    }

    override func removeAllObjects() {
        change(.minus, members) { for object in $0 { remove(object) } }
    }

    override func intersect(_ otherSet: Set<AnyHashable>) {
        change(.intersect, Self.objects(otherSet)) { kept in
            let kept = IdentitySet(kept)
            for object in members where !kept.contains(object) { remove(object) }
        }
    }

    override func setSet(_ otherSet: Set<AnyHashable>) {
        change(.set, Self.objects(otherSet)) { wanted in
            let kept = IdentitySet(wanted)
            for object in members where !kept.contains(object) { remove(object) }
            for object in wanted { add(object) }
        }
    }

    private static func objects(_ set: Set<AnyHashable>) -> [NSManagedObject] {
        set.compactMap { $0 as? NSManagedObject }
    }

    private func change(
        _ kind: NSKeyValueSetMutationKind, _ objects: [NSManagedObject],
        _ body: ([NSManagedObject]) -> Void
    ) {
        owner?.noticingTogether(slot, kind, objects) { body(objects) }
    }
}

/// Walks over the members there were when it was made.
private final class MemberEnumerator: NSEnumerator {
    private var rest: ArraySlice<NSManagedObject>

    init(_ members: [NSManagedObject]) { rest = members[...] }

    override func nextObject() -> Any? { rest.popFirst() }
}

/// A live view of an ordered to-many relationship.
///
/// Returned by `mutableOrderedSetValue(forKey:)`; belongs to the object's context.
final class MutableOrderedRelationship: NSMutableOrderedSet {
    private let owner: NSManagedObject?
    private let slot: Int

    init(owner: NSManagedObject, slot: Int) {
        self.owner = owner
        self.slot = slot
        super.init(capacity: 0)
    }

    override init(capacity numItems: Int) {
        owner = nil
        slot = 0
        super.init(capacity: numItems)
    }

    required convenience init?(coder: NSCoder) { nil }

    required convenience init(arrayLiteral elements: Any...) {
        self.init(capacity: elements.count)
    }

    private var members: [NSManagedObject] { owner?.readObjects(slot) ?? [] }

    override var count: Int { members.count }

    override func object(at index: Int) -> Any { members[index] }

    override func index(of object: Any) -> Int {
        members.firstIndex { $0 === object as? NSManagedObject } ?? NSNotFound
    }

    override func insert(_ object: Any, at index: Int) {
        guard let owner, let object = object as? NSManagedObject else { return }
        orTrap { () throws(CoreDataError) in
            if try !owner.loadedMembers(slot).members.contains(object) {
                try owner.link(slot, object, at: index)
            }
        }
    }

    // Foundation's own versions of these work on its storage, which is empty here.

    override func contains(_ object: Any) -> Bool { index(of: object) != NSNotFound }

    override func add(_ object: Any) { insert(object, at: count) }

    override func addObjects(from array: [Any]) {
        change(.union, array) { for object in $0 { add(object) } }
    }

    override func remove(_ object: Any) {
        let index = index(of: object)
        if index != NSNotFound { removeObject(at: index) }
    }

    override func removeObjects(in array: [Any]) {
        change(.minus, array) { for object in $0 { remove(object) } }
    }

    override func removeAllObjects() {
        change(.minus, members) { for object in $0 { remove(object) } }
    }

    /// Changes several members, told to observers at once.
    private func change(
        _ kind: NSKeyValueSetMutationKind, _ array: [Any], _ body: ([NSManagedObject]) -> Void
    ) {
        let objects = array.compactMap { $0 as? NSManagedObject }
        owner?.noticingTogether(slot, kind, objects) { body(objects) }
    }

    override func removeObject(at index: Int) {
        guard let owner else { return }
        let object = members[index]
        orTrap { () throws(CoreDataError) in try owner.unlink(slot, object) }
    }

    override func replaceObject(at index: Int, with object: Any) {
        guard let owner else { return }
        let new = (object as? NSManagedObject).map { [$0] } ?? []
        owner.noticingTogether(slot, .replacement, at: IndexSet(integer: index), new: new) {
            removeObject(at: index)
            insert(object, at: index)
        }
    }
}
