import CoreDataModel

extension RowFormat {
    /// Whether two rows of an entity have the same words or bytes in a slot, so that their values
    /// need not be made to be found equal. Of some equal values it says that they are not.
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
            // By value, because a number that is none is never equal.
            return Double(bitPattern: word(left, slot: slot))
                == Double(bitPattern: word(right, slot: slot))
        case .toOne:
            let key = word(left, slot: slot)
            // A temporary key may stand for another one by now.
            return key == word(right, slot: slot) && !ObjectKey(packed: key).isTemporary
        case .string, .uri, .decimal, .uuid, .binary:
            return bytes(left, slot: slot).elementsEqual(bytes(right, slot: slot))
        }
    }
}
