/// The form in which a file contains a program's values.
package enum ValueSecrecy: String, Sendable, CaseIterable {
    /// The file contains the values unchanged.
    case full
    /// The file contains tokens, which are equal if the values are equal. Numbers keep their order
    /// and the proportions of their differences, and dates keep their order.
    case hashed
    /// The file contains tokens that are all different.
    case none
}
