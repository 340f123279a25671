/// Whether a file contains the values of a program, or tokens that replace them.
package enum ValueSecrecy: String, Sendable, CaseIterable {
    case full
    /// The file contains tokens. Equal values have equal tokens. The tokens of numbers and dates
    /// keep the order of the values. Those of numbers also keep the proportions of differences, if
    /// possible.
    case hashed
    /// The file contains tokens, all of which are different.
    case none
}
