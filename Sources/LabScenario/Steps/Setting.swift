/// A value that may be a matrix parameter.
package enum Setting<Value: Sendable>: Sendable {
    case value(Value)
    case parameter(Located<String>)
}

extension Setting {
    /// Parses a string: `$` and the name of a parameter, or a value.
    init(_ text: Located<String>, _ convert: (Located<String>) -> Value) {
        self =
            text.value.hasPrefix("$")
            ? .parameter(Located(String(text.value.dropFirst()), at: text.position))
            : .value(convert(text))
    }
}
