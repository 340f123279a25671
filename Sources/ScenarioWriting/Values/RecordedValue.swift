/// A value that a program read or set.
package enum RecordedValue: Sendable, Hashable {
    case null
    case integer(Int64)
    /// A number, or the seconds since 2001-01-01 UTC of a date.
    case number(Double)
    /// The digits of a decimal number.
    case decimal(String)
    case flag(Bool)
    case text(String)
    case bytes([UInt8])
    /// The destination of a to-one relationship.
    case object(RecordedObject)
    /// A value that was not recorded, for example because it is too long. The text describes the
    /// value.
    case lost(String)
}

/// The identity of an object, which is the same in all contexts.
package struct RecordedObject: Sendable, Hashable {
    package let entity: String
    /// The number of the object among the objects of its root entity. The number does not change
    /// when the object is saved.
    package let number: Int64

    package init(_ entity: String, _ number: Int64) {
        self.entity = entity
        self.number = number
    }
}
