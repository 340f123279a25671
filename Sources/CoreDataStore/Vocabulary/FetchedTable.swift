import CoreDataModel

/// Rows of a table, one value for each column, row after row.
package struct FetchedTable: Sendable {
    /// The kinds of the columns' values, as a dictionary contains them.
    package let kinds: [ValueKind]
    package var values: ContiguousArray<Value> = []

    package init(kinds: [ValueKind]) { self.kinds = kinds }

    private var width: Int { kinds.count }

    package var count: Int { width == 0 ? 0 : values.count / width }

    package subscript(row: Int, column: Int) -> Value { values[row * width + column] }
}
