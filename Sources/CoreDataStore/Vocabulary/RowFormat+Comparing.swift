import CoreDataModel

extension RowFormat {
    /// Whether two rows of an entity have equal words or bytes in a slot. Creates no values, so it
    /// may be false for some equal values.
    package static func areSame(
        _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ slot: Int, _ kind: ValueKind
    ) -> Bool {
        let isNull = isNull(left, slot: slot)
        if isNull != Self.isNull(right, slot: slot) { return false }
        if isNull { return true }
        switch kind {
        case .integer16, .integer32, .integer64, .boolean:
            return word(left, slot: slot) == word(right, slot: slot)
        case .double, .float, .date:
            // Comparing the bits would treat NaN as equal to itself.
            return Double(bitPattern: word(left, slot: slot))
                == Double(bitPattern: word(right, slot: slot))
        case .toOne:
            let key = word(left, slot: slot)
            // A temporary key may have been replaced in the meantime, so two of them never count as
            // equal.
            return key == word(right, slot: slot) && !ObjectKey(packed: key).isTemporary
        case .string, .uri, .decimal, .uuid, .binary:
            return bytes(left, slot: slot).elementsEqual(bytes(right, slot: slot))
        }
    }
}
