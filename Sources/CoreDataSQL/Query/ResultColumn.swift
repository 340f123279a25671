import CoreDataModel

/// One column of a statement's result as the value of a dictionary.
///
/// Created by ``TableBuilder``; a store reads the column of each row by it.
package struct ResultColumn: Sendable {
    package let index: Int
    /// The kind that the value is converted to; nil leaves a number unchanged.
    package let kind: ValueKind?
    /// The kind of the column's content, if it is a column of a table.
    package let storedKind: ValueKind?
    /// The entity that a key belongs to.
    package let destination: Int?
    /// Whether the next column contains the key's own entity.
    package let hasEntity: Bool

    package init(
        index: Int, kind: ValueKind?, storedKind: ValueKind? = nil, destination: Int? = nil,
        hasEntity: Bool = false
    ) {
        self.index = index
        self.kind = kind
        self.storedKind = storedKind
        self.destination = destination
        self.hasEntity = hasEntity
    }

    /// The kind of the value; numbers without a declared kind have the type that the database
    /// computed.
    package var shownKind: ValueKind { kind ?? storedKind ?? .double }
}
