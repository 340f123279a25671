/// A value as a program read or set it.
package enum RecordedValue: Sendable, Hashable {
    case null
    case integer(Int64)
    /// Also seconds since 2001-01-01 UTC, where the attribute is a date.
    case number(Double)
    /// Digits of a decimal number.
    case decimal(String)
    case flag(Bool)
    case text(String)
    case bytes([UInt8])
    /// Where a to-one relationship leads.
    case object(RecordedObject)
    /// A value that was not kept, such as one that is too long; what it was, in words.
    case lost(String)
}

/// An object of any context, by what stays the same in all of them.
package struct RecordedObject: Sendable, Hashable {
    package let entity: String
    /// Tells objects of an entity's tree apart; the same in every context, before and after a save.
    package let number: Int64

    package init(_ entity: String, _ number: Int64) {
        self.entity = entity
        self.number = number
    }
}
