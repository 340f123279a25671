/// The rule for one key of a scenario file. The parser, the JSON Schema and the reference page use
/// the same rules, so that they agree.
package struct KeyRule: Sendable {
    package let key: String
    package let isRequired: Bool
    package let form: Form
    /// The meaning of the key, as a sentence of the reference page.
    package let meaning: String

    /// The form of a key's value.
    package indirect enum Form: Sendable {
        case text
        /// A name of letters, digits, `-` and `_` that starts with a letter.
        case name
        /// A name or a `$parameter`.
        case nameOrParameter
        /// One of the given words, or a `$parameter` if the flag is true.
        case word([String], parameter: Bool)
        /// `true` or `false`, or a `$parameter`.
        case flag
        /// An integer between the first and the second bound.
        case number(Int, Int)
        case scalar
        /// One line in a small language. The string is the name of the language's grammar in the
        /// reference.
        case line(String)
        case list(Form)
        /// A list, or a single value that counts as a list of one.
        case oneOrMore(Form)
        /// A mapping from arbitrary names to values; the string describes the names.
        case named(String, Form)
        case keys([KeyRule])
        case either(short: Form, long: Form)
        /// The required value of one observation.
        case pattern
    }

    init(_ key: String, _ form: Form, required: Bool = false, _ meaning: String) {
        self.key = key
        self.form = form
        isRequired = required
        self.meaning = meaning
    }
}
