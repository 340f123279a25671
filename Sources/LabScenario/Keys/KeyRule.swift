/// One key that a scenario file may have: the parser, the JSON Schema and the reference page
/// are all made from these rules, so that they cannot disagree.
package struct KeyRule: Sendable {
    package let key: String
    package let isRequired: Bool
    package let form: Form
    /// What the key means, as a sentence of the reference page.
    package let meaning: String

    /// What may stand behind a key.
    package indirect enum Form: Sendable {
        /// Any text.
        case text
        /// A name of letters, digits, `-` and `_` that starts with a letter.
        case name
        /// One of a few words, or a `$parameter` where the flag says so.
        case word([String], parameter: Bool)
        /// `true` or `false`, or a `$parameter`.
        case flag
        /// A whole number, not below the first and not above the second.
        case number(Int, Int)
        /// Any single value.
        case scalar
        /// One line of a small language; the string names the grammar in the reference.
        case line(String)
        case list(Form)
        /// A list, or one value that stands for a list of one.
        case oneOrMore(Form)
        /// Names that the file chooses, each with a value; the string says what is named.
        case named(String, Form)
        case keys([KeyRule])
        /// A single value in short form, or the long form.
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
