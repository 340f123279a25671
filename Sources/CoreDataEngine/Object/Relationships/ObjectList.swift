/// Objects in order, without duplicates, compared by identity.
///
/// A short list is searched linearly. A longer list is searched with an `IdentitySet`. Objects are
/// never hashed by value.
struct ObjectList: Sequence {
    private var objects: [NSManagedObject]
    private var identities: IdentitySet?

    private static let linearCount = 12

    init(_ objects: [NSManagedObject] = []) { self.objects = objects }

    var isEmpty: Bool { objects.isEmpty }
    var count: Int { objects.count }
    var array: [NSManagedObject] { objects }

    subscript(index: Int) -> NSManagedObject { objects[index] }

    func makeIterator() -> IndexingIterator<[NSManagedObject]> {
        objects.makeIterator()
    }

    func contains(_ object: NSManagedObject) -> Bool {
        if let identities { return identities.contains(object) }
        return objects.contains { $0 === object }
    }

    /// - Returns: whether the object was absent.
    @discardableResult
    mutating func append(_ object: NSManagedObject) -> Bool {
        if identities == nil, objects.count >= Self.linearCount {
            identities = IdentitySet(objects)
        }
        if identities != nil {
            guard identities?.insert(object) == true else { return false }
            assert((identities?.count ?? 0) <= objects.count + 1, "the set contains other objects")
        } else if objects.contains(where: { $0 === object }) {
            return false
        }
        objects.append(object)
        return true
    }

    /// - Returns: whether the object was present.
    @discardableResult
    mutating func remove(_ object: NSManagedObject) -> Bool {
        if let identities, !identities.contains(object) { return false }
        guard let index = objects.lastIndex(where: { $0 === object }) else { return false }
        identities?.remove(object)
        objects.remove(at: index)
        return true
    }

    /// - Returns: whether the object was present at another position.
    mutating func move(_ object: NSManagedObject, to index: Int) -> Bool {
        guard let old = objects.firstIndex(where: { $0 === object }), old != index else {
            return false
        }
        objects.remove(at: old)
        objects.insert(object, at: Swift.min(index, objects.count))
        return true
    }

    func elementsEqual(_ others: [NSManagedObject]) -> Bool {
        objects.elementsEqual(others, by: { $0 === $1 })
    }
}
