/// The form in which a file contains a program's values.
package enum ValueSecrecy: String, Sendable, CaseIterable {
    /// The values themselves.
    case full
    /// Tokens that are equal if the values are. Numbers keep their order and the proportions of
    /// their differences, and dates keep their order.
    case hashed
    /// Tokens that are all different.
    case none
}
