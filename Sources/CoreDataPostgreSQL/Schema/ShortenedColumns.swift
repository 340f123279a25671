import CoreDataModel

/// The columns of texts and data that belong to a fetch index.
///
/// The server refuses a row whose values in an index have more than 2,704 bytes together, so a
/// fetch index contains only the beginnings of such values. A statement that compares or sorts by
/// the beginnings first, and then by the values, has the same result and uses the index.
struct ShortenedColumns: Sendable {
    /// The number of characters or bytes in an index. A character has at most four bytes.
    private static let length = 200
    /// The maximum number of such columns in one index.
    static let countMax = 3

    /// The tables and columns, separated by dots.
    private let columns: Set<String>

    /// - Parameter layout: a layout with the names on the server.
    init(_ layout: ModelLayout) {
        columns = Set(
            layout.entities.flatMap { entity in
                entity.indexes.flatMap(\.elements).compactMap { element in
                    element.slot.flatMap { Self.name(entity.values[$0], entity) }
                }
            })
    }

    private static func name(_ slot: ValueSlot, _ entity: EntityLayout) -> String? {
        slot.column.map { "\(entity.tableName).\($0)" }
    }

    func beginning(
        of slot: ValueSlot, in entity: EntityLayout
    ) -> (before: String, after: String)? {
        guard let part = Self.beginning(of: slot.kind), let name = Self.name(slot, entity),
            columns.contains(name)
        else { return nil }
        return part
    }

    /// The SQL text before and after a value whose beginning an index contains; nil for a kind of
    /// values that an index contains as a whole.
    static func beginning(of kind: ValueKind) -> (before: String, after: String)? {
        switch kind {
        case .string, .uri: ("left(", ", \(length))")
        case .binary: ("substr(", ", 1, \(length))")
        default: nil
        }
    }
}
