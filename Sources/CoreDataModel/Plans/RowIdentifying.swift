/// A constant in a plan's predicate that represents a row. Statements compare the key of the row.
package protocol RowIdentifying {
    /// The index of the row's entity in the model's layout.
    var rowEntity: Int { get }
    /// The row's key; negative if no row exists yet.
    var rowKey: Int64 { get }
}
