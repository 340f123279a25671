import CoreDataModel

/// Which of several stores with one entity has a row, as a part of the row's key.
///
/// Above the stores each row of a family has a key of its own, although each store counts from 1:
/// the first store's keys are as they are in its file, the next ones' have the store's tag in bits
/// that no key of a file reaches. A to-one value keeps 48 bits of a key, so there is room for 127
/// tagged stores with keys up to 2⁴⁰.
@usableFromInline package struct StoreTag: Sendable, Equatable {
    @inlinable static var shift: Int64 { 40 }
    /// How many stores may share an entity.
    static let count = 128
    /// The tag of every store that was there first.
    package static let none = StoreTag(number: 0)

    @usableFromInline package let number: Int64

    init(number: Int) {
        assert(number >= 0 && number < Self.count, "the tag does not fit into a to-one value")
        self.number = Int64(number)
    }

    /// The tag in a key above the stores.
    @inlinable package init(of key: Int64) {
        number = key < 0 ? 0 : key &>> Self.shift
    }

    /// The key above the stores of a row in the tag's store.
    ///
    /// - Throws: where the file's key has bits that tell stores apart.
    package func tagged(_ key: Int64) throws(CoreDataError) -> Int64 {
        guard key >> Self.shift == 0 else {
            throw CoreDataError(
                .unsupported,
                "The primary key \(key) is too large for a store that shares its entity with"
                    + " another one: keys up to \((1 << Self.shift) - 1) are told apart. Add the"
                    + " store to a coordinator of its own.")
        }
        return key | number << Self.shift
    }

    func tagged(_ key: ObjectKey) throws(CoreDataError) -> ObjectKey {
        ObjectKey(entity: Int(key.entity), key: try tagged(key.key))
    }

    /// The key in the store's file.
    package func stored(_ key: Int64) -> Int64 {
        assert(StoreTag(of: key) == self, "the row is in another store")
        return key & (1 << Self.shift - 1)
    }

    func stored(_ key: ObjectKey) -> ObjectKey {
        ObjectKey(entity: Int(key.entity), key: stored(key.key))
    }

    /// Whether the store has the row.
    func isOf(_ key: ObjectKey) -> Bool { StoreTag(of: key.key) == self }
}
