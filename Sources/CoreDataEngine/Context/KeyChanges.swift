import CoreDataStore

/// The keys that objects of one context got in place of temporary ones that its children know, and
/// the way back.
///
/// Owned by the `ObjectRegistry`, which guards it with its lock.
struct KeyChanges {
    private var permanent: [Int64: Int64] = [:]
    private var temporary: [ObjectKey: Int64] = [:]

    /// The key that an object has by now.
    @inline(__always)
    func current(_ key: Int64) -> Int64 {
        var key = key
        while key < 0, let next = permanent[key] { key = next }
        return key
    }

    /// The temporary key that children may still use; `key` names the root entity.
    func former(_ key: ObjectKey) -> Int64? {
        temporary.isEmpty ? nil : temporary[key]
    }

    /// An object of the root entity has another key from now on.
    mutating func note(_ former: Int64, to key: Int64, root: Int) {
        assert(former < 0 && former != key, "only a temporary key gives way to another")
        permanent[former] = key
        temporary[ObjectKey(entity: root, key: key)] = former
    }

    /// An object has become part of another one: children that name it mean the other.
    mutating func note(_ former: Int64, asPartOf key: Int64) {
        assert(former < 0 && former != key, "an object cannot become part of itself")
        permanent[former] = key
    }
}
