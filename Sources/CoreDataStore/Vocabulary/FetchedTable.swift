import CoreDataModel

/// The values of a table, one row after another, with one value for each column.
package struct FetchedTable: Sendable {
    /// The kind of each column's values in the result dictionaries.
    package let kinds: [ValueKind]
    package var values: ContiguousArray<Value> = []

    package init(kinds: [ValueKind]) { self.kinds = kinds }

    private var width: Int { kinds.count }

    package var count: Int { width == 0 ? 0 : values.count / width }

    package subscript(row: Int, column: Int) -> Value { values[row * width + column] }
}
