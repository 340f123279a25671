import CoreDataModel
import CoreDataStore
import Foundation

/// A live view of a to-many relationship, which `mutableSetValue(forKey:)` returns. Changing the
/// view changes the object and the inverse relationship.
///
/// The view belongs to the queue of the object's context.
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

    // Each of these methods sends one notification to observers.

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

    // Foundation's implementations would use Foundation's own storage, which is empty here.

    override var description: String { NSSet(array: members).description }

    override func description(withLocale locale: Locale?) -> String {
        NSSet(array: members).description(withLocale: locale)
    }

    override func isEqual(_ value: Any?) -> Bool {
        self === value as AnyObject || NSSet(array: members).isEqual(value)
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

/// Iterates over the members that existed when the enumerator was created.
private final class MemberEnumerator: NSEnumerator {
    private var rest: ArraySlice<NSManagedObject>

    init(_ members: [NSManagedObject]) { rest = members[...] }

    override func nextObject() -> Any? { rest.popFirst() }
}
