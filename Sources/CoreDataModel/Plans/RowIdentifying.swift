/// A constant in the predicate of a plan that represents a row; statements compare its key.
package protocol RowIdentifying {
    /// The index of the row's entity in the model's layout.
    var rowEntity: Int { get }
    /// The row's key; negative if no row exists yet.
    var rowKey: Int64 { get }
}
