/// The rule for one key of a scenario file. The parser, the JSON Schema and the reference page are
/// all built from these rules, so that they agree.
package struct KeyRule: Sendable {
    package let key: String
    package let isRequired: Bool
    package let form: Form
    /// The meaning of the key, as a sentence of the reference page.
    package let meaning: String

    /// The form of a key's value.
    package indirect enum Form: Sendable {
        /// Any text.
        case text
        /// A name of letters, digits, `-` and `_` that starts with a letter.
        case name
        /// A name, or a `$parameter`.
        case nameOrParameter
        /// One of a few words, or a `$parameter` if the flag is true.
        case word([String], parameter: Bool)
        /// `true` or `false`, or a `$parameter`.
        case flag
        /// A whole number between the first and the second bound.
        case number(Int, Int)
        /// Any single value.
        case scalar
        /// One line of a small language; the string names its grammar in the reference.
        case line(String)
        case list(Form)
        /// A list, or one value instead of a list of one.
        case oneOrMore(Form)
        /// A mapping from arbitrary names to values; the string describes the names.
        case named(String, Form)
        case keys([KeyRule])
        /// A value in short form or in long form.
        case either(short: Form, long: Form)
        /// The pattern of one observed value.
        case pattern
    }

    init(_ key: String, _ form: Form, required: Bool = false, _ meaning: String) {
        self.key = key
        self.form = form
        isRequired = required
        self.meaning = meaning
    }
}
