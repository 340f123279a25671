/// A value that a program read or set.
package enum RecordedValue: Sendable, Hashable {
    case null
    case integer(Int64)
    /// A number, or seconds since 2001-01-01 UTC for a date attribute.
    case number(Double)
    /// Digits of a decimal number.
    case decimal(String)
    case flag(Bool)
    case text(String)
    case bytes([UInt8])
    /// The destination of a to-one relationship.
    case object(RecordedObject)
    /// A value that was not recorded, such as one that is too long, described in words.
    case lost(String)
}

/// An object of any context, by an identity that all contexts share.
package struct RecordedObject: Sendable, Hashable {
    package let entity: String
    /// The number of the object within an entity's tree; the same in every context, before and
    /// after a save.
    package let number: Int64

    package init(_ entity: String, _ number: Int64) {
        self.entity = entity
        self.number = number
    }
}
