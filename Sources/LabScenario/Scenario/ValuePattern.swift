/// The required form of one named observation.
package struct NamedPattern: Sendable {
    package let observation: Located<String>
    package let pattern: ValuePattern

    package init(observation: Located<String>, pattern: ValuePattern) {
        self.observation = observation
        self.pattern = pattern
    }
}

/// The required form of an observed value.
public indirect enum ValuePattern: Sendable, Hashable {
    case any
    case value(Literal)
    case list([ValuePattern])
    case oneOf([ValuePattern])
    case not(ValuePattern)
}
