/// How much of a program's values a file may have.
package enum ValueSecrecy: String, Sendable, CaseIterable {
    /// The values themselves.
    case full
    /// Tokens in their place that are equal where values are. Numbers keep their order and the
    /// proportions of their differences, dates their order; nothing else of them is kept.
    case hashed
    /// Tokens that are all different.
    case none
}
