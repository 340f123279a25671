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
    /// A value that was not recorded, for example because it is too long; the text describes it.
    case lost(String)
}

/// The identity of an object, which is the same in all contexts.
package struct RecordedObject: Sendable, Hashable {
    package let entity: String
    /// The number of the object among the objects of its root entity. The number is the same in
    /// every context, before and after a save.
    package let number: Int64

    package init(_ entity: String, _ number: Int64) {
        self.entity = entity
        self.number = number
    }
}
