import CoreDataStore

/// Maps temporary keys to the permanent keys that replaced them, and the reverse. Child contexts
/// may still use the temporary keys.
///
/// The lock of the `ObjectRegistry` guards it. Each table is a `KeyTable`, which stores the
/// consecutive keys of a save without hashing each key. The entries of a `KeyTable` are pointers;
/// here, their bits are keys. Both tables are nil until a key has changed.
struct KeyChanges: ~Copyable {
    private var permanent: KeyTable?
    /// The replaced temporary keys, by a word that contains the new key and the root entity.
    private var temporary: KeyTable?

    @inline(__always)
    mutating func current(_ key: Int64) -> Int64 {
        key < 0 ? follow(key) : key
    }

    private mutating func follow(_ key: Int64) -> Int64 {
        var key = key
        while key < 0, let next = Self.key(permanent?[key] ?? nil) { key = next }
        return key
    }

    /// The temporary key that children may still use. `key.entity` is the root entity.
    mutating func former(_ key: ObjectKey) -> Int64? {
        Self.key(temporary?[Self.word(key)] ?? nil)
    }

    mutating func reserve(_ count: Int) {
        permanent = permanent.take() ?? KeyTable()
        temporary = temporary.take() ?? KeyTable()
        permanent?.reserve(count)
        temporary?.reserve(count)
    }

    mutating func note(_ former: Int64, to key: Int64, root: Int) {
        assert(former < 0 && former != key, "the replaced key is permanent or equal to the new one")
        note(former, asPartOf: key)
        temporary = temporary.take() ?? KeyTable()
        guard let entry = Self.entry(former) else { return }
        temporary?.update(Self.word(ObjectKey(entity: root, key: key)), entry)
    }

    /// Records that an object was merged into another. The former key of the first object then
    /// identifies the second.
    mutating func note(_ former: Int64, asPartOf key: Int64) {
        assert(
            former < 0 && former != key,
            "an object is merged into itself, or its key is permanent")
        permanent = permanent.take() ?? KeyTable()
        guard let entry = Self.entry(key) else { return }
        permanent?.update(former, entry)
    }

    private static func word(_ key: ObjectKey) -> Int64 { Int64(bitPattern: key.packed) }

    /// No key is 0, so no entry is a nil pointer.
    private static func entry(_ key: Int64) -> UnsafeMutableRawPointer? {
        assert(key != 0, "the key is 0, which no object has")
        return UnsafeMutableRawPointer(bitPattern: Int(key))
    }

    private static func key(_ entry: UnsafeMutableRawPointer?) -> Int64? {
        entry.map { Int64(Int(bitPattern: $0)) }
    }
}
