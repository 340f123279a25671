import CoreDataModel

/// Identifies one of several stores of a coordinator that contain the same entity.
///
/// Each file assigns keys from 1, so rows in two stores may have the same key. The first store's
/// keys are used unchanged. The keys of the other stores get a tag, in bits that no key of a file
/// uses. A to-one value has 48 bits for a key, so there can be 127 tagged stores with keys below
/// 2⁴⁰.
@usableFromInline package struct StoreTag: Sendable, Equatable {
    @inlinable static var shift: Int64 { 40 }
    /// The maximum number of stores that share an entity.
    static let count = 128
    /// The tag of the first store of an entity.
    package static let none = StoreTag(number: 0)

    @usableFromInline package let number: Int64

    init(number: Int) {
        assert(number >= 0 && number < Self.count, "the tag is too large for a to-one value")
        self.number = Int64(number)
    }

    @inlinable package init(of key: Int64) {
        number = key < 0 ? 0 : key &>> Self.shift
    }

    /// Adds the tag to a row's key in the store's file.
    ///
    /// - Throws: an error if the key in the file uses the bits of the tag.
    package func tagged(_ key: Int64) throws(CoreDataError) -> Int64 {
        guard key >> Self.shift == 0 else {
            throw CoreDataError(
                .unsupported,
                "The primary key \(key) is too large for a store that shares its entity with"
                    + " another one: keys up to \((1 << Self.shift) - 1) are possible. Add the"
                    + " store to a separate coordinator.")
        }
        return key | number << Self.shift
    }

    func tagged(_ key: ObjectKey) throws(CoreDataError) -> ObjectKey {
        ObjectKey(entity: Int(key.entity), key: try tagged(key.key))
    }

    /// The key without the tag, as in the store's file.
    package func stored(_ key: Int64) -> Int64 {
        assert(StoreTag(of: key) == self, "the row is in another store")
        return key & (1 << Self.shift - 1)
    }

    func stored(_ key: ObjectKey) -> ObjectKey {
        ObjectKey(entity: Int(key.entity), key: stored(key.key))
    }

    func isOf(_ key: ObjectKey) -> Bool { StoreTag(of: key.key) == self }
}
