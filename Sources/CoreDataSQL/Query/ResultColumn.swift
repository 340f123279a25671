import CoreDataModel

/// A column of a statement's result whose value becomes a value of a result dictionary.
///
/// Created by ``TableBuilder``. A store uses it to read the column in each row.
package struct ResultColumn: Sendable {
    package let index: Int
    package let kind: ValueKind?
    /// The kind of the values in the table's column, or of the computed values; nil if it is
    /// unknown.
    package let storedKind: ValueKind?
    /// The index of the destination entity, if the column contains a key.
    package let destination: Int?
    /// Whether the next column contains the entity of the object that the key identifies.
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

    /// The kind of the value in the dictionary. A number without a declared kind has the type that
    /// the database computed.
    package var shownKind: ValueKind { kind ?? storedKind ?? .double }
}
