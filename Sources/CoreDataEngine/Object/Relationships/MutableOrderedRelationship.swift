import CoreDataModel
import CoreDataStore
import Foundation

/// A live view of an ordered to-many relationship, which `mutableOrderedSetValue(forKey:)` returns.
/// It belongs to the queue of the object's context.
///
/// The overridden members use the object's relationship. Other members of Foundation's class, such
/// as `array` and iteration, cannot be overridden. They read a copy in Foundation's storage, which
/// contains the members at the creation or the last use of the view.
final class MutableOrderedRelationship: NSMutableOrderedSet {
    private let owner: NSManagedObject?
    private let slot: Int
    /// True while Foundation's storage is written. The methods of Foundation's class call each
    /// other, and must not change the relationship then.
    private var isCopying = false

    init(owner: NSManagedObject, slot: Int) {
        self.owner = owner
        self.slot = slot
        super.init(capacity: 0)
        copyMembers()
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

    private func copyMembers() {
        isCopying = true
        defer { isCopying = false }
        super.removeAllObjects()
        for member in members { super.insert(member, at: super.count) }
    }

    /// A plain Foundation set with the same members, whose methods some overrides use.
    var plain: NSMutableOrderedSet {
        copyMembers()
        return NSMutableOrderedSet(array: members)
    }

    // MARK: One member

    override var count: Int { isCopying ? super.count : members.count }

    override func object(at index: Int) -> Any {
        isCopying ? super.object(at: index) : members[index]
    }

    override func index(of object: Any) -> Int {
        if isCopying { return super.index(of: object) }
        return members.firstIndex { $0 === object as? NSManagedObject } ?? NSNotFound
    }

    override func contains(_ object: Any) -> Bool {
        isCopying ? super.contains(object) : index(of: object) != NSNotFound
    }

    override subscript(index: Int) -> Any {
        get { object(at: index) }
        set { setObject(newValue, at: index) }
    }

    override func insert(_ object: Any, at index: Int) {
        if isCopying { return super.insert(object, at: index) }
        guard let owner, let object = object as? NSManagedObject else { return }
        orTrap { () throws(CoreDataError) in
            if try !owner.loadedMembers(slot).members.contains(object) {
                try owner.link(slot, object, at: index)
            }
        }
        copyMembers()
    }

    override func removeObject(at index: Int) {
        if isCopying { return super.removeObject(at: index) }
        guard let owner else { return }
        let object = members[index]
        orTrap { () throws(CoreDataError) in try owner.unlink(slot, object) }
        copyMembers()
    }

    override func replaceObject(at index: Int, with object: Any) {
        if isCopying { return super.replaceObject(at: index, with: object) }
        guard let owner else { return }
        let new = (object as? NSManagedObject).map { [$0] } ?? []
        owner.noticingTogether(slot, .replacement, at: IndexSet(integer: index), new: new) {
            removeObject(at: index)
            insert(object, at: index)
        }
    }

    override func add(_ object: Any) { insert(object, at: count) }

    override func remove(_ object: Any) {
        let index = index(of: object)
        if index != NSNotFound { removeObject(at: index) }
    }

    override func setObject(_ object: Any, at index: Int) {
        if index == count { add(object) } else { replaceObject(at: index, with: object) }
    }

    // MARK: Several members, in one notification to observers

    override func addObjects(from array: [Any]) {
        change(.union, array) { for object in $0 { add(object) } }
    }

    override func removeObjects(in array: [Any]) {
        change(.minus, array) { for object in $0 { remove(object) } }
    }

    override func removeAllObjects() {
        if isCopying { return super.removeAllObjects() }
        change(.minus, members) { for object in $0 { remove(object) } }
    }

    private func change(
        _ kind: NSKeyValueSetMutationKind, _ array: [Any], _ body: ([NSManagedObject]) -> Void
    ) {
        let objects = array.compactMap { $0 as? NSManagedObject }
        owner?.noticingTogether(slot, kind, objects) { body(objects) }
        copyMembers()
    }

    /// Changes a copy of the members, and sets the relationship to the result.
    private func become(_ body: (NSMutableOrderedSet) -> Void) {
        guard let owner else { return }
        let changed = plain
        body(changed)
        owner.writeObjects(slot, changed.array.compactMap { $0 as? NSManagedObject })
        copyMembers()
    }

    override func exchangeObject(at first: Int, withObjectAt second: Int) {
        become { $0.exchangeObject(at: first, withObjectAt: second) }
    }
    override func moveObjects(at indexes: IndexSet, to index: Int) {
        become { $0.moveObjects(at: indexes, to: index) }
    }
    override func insert(_ objects: [Any], at indexes: IndexSet) {
        become { $0.insert(objects, at: indexes) }
    }
    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        become { $0.replaceObjects(at: indexes, with: objects) }
    }
    override func removeObjects(in range: NSRange) { become { $0.removeObjects(in: range) } }
    override func removeObjects(at indexes: IndexSet) { become { $0.removeObjects(at: indexes) } }
    override func intersect(_ other: NSOrderedSet) {
        become { $0.removeObjects(in: $0.array.filter { !other.contains($0) }) }
    }
    override func minus(_ other: NSOrderedSet) { removeObjects(in: other.array) }
    override func union(_ other: NSOrderedSet) { addObjects(from: other.array) }
    override func intersectSet(_ other: Set<AnyHashable>) {
        let kept = NSSet(set: other)
        become { $0.removeObjects(in: $0.array.filter { !kept.contains($0) }) }
    }
    override func minusSet(_ other: Set<AnyHashable>) { removeObjects(in: Array(other)) }
    override func unionSet(_ other: Set<AnyHashable>) { addObjects(from: Array(other)) }

    // MARK: Order

    override func sort(comparator: (Any, Any) -> ComparisonResult) {
        sort(options: [], usingComparator: comparator)
    }
    override func sort(
        options: NSSortOptions = [], usingComparator comparator: (Any, Any) -> ComparisonResult
    ) {
        sortRange(NSRange(0..<count), options: options, usingComparator: comparator)
    }
    override func sortRange(
        _ range: NSRange, options: NSSortOptions = [],
        usingComparator comparator: (Any, Any) -> ComparisonResult
    ) {
        guard let owner, let bounds = Range(range) else { return }
        var wanted = members
        // Merge sort is always stable, with or without the option.
        wanted[bounds].sort { comparator($0, $1) == .orderedAscending }
        owner.writeObjects(slot, wanted)
        copyMembers()
    }

    // MARK: Reading the object's current members

    override func copy() -> Any { plain.copy() }
    override func copy(with zone: NSZone? = nil) -> Any { plain.copy() }
    override func mutableCopy() -> Any { plain }
    override func mutableCopy(with zone: NSZone? = nil) -> Any { plain }
    override var description: String { plain.description }
    override func isEqual(_ object: Any?) -> Bool {
        self === object as AnyObject || plain.isEqual(object)
    }
    override func isEqual(to other: NSOrderedSet) -> Bool {
        self === other || plain.isEqual(to: other)
    }
    override func objects(at indexes: IndexSet) -> [Any] { indexes.map { members[$0] } }
    override func enumerateObjects(
        _ block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void
    ) { plain.enumerateObjects(block) }
    override func enumerateObjects(
        options: NSEnumerationOptions = [],
        using block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void
    ) { plain.enumerateObjects(options: options, using: block) }
    override func sortedArray(comparator: (Any, Any) -> ComparisonResult) -> [Any] {
        plain.sortedArray(comparator: comparator)
    }
    override func sortedArray(
        options: NSSortOptions = [], usingComparator comparator: (Any, Any) -> ComparisonResult
    ) -> [Any] { plain.sortedArray(options: options, usingComparator: comparator) }
}
