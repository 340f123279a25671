/// Sorts keys by entity and number, the order in which a save's objects are merged.
extension ObjectKey {
    package static func inOrder(_ keys: consuming [ObjectKey]) -> [ObjectKey] {
        let most = keys.reduce(0) { $0 | UInt64(bitPattern: $1.key) }
        guard most >> shift == 0 else {
            keys.sort { ($0.entity, $0.key) < ($1.entity, $1.key) }
            return keys
        }
        // Each key is packed into one integer. Integers are compared without a function call, which
        // makes sorting much faster.
        var words = keys.map { UInt64($0.entity) << shift | UInt64($0.key) }
        words.sort()
        return words.map { word in
            ObjectKey(entity: Int(word >> shift), key: Int64(word & (1 << shift - 1)))
        }
    }

    /// Keys of rows are lower than 2⁴⁸, except for unusual keys in foreign files.
    private static let shift: UInt64 = 48
}
