/// A value that may be a matrix parameter.
package enum Setting<Value: Sendable>: Sendable {
    case value(Value)
    case parameter(Located<String>)
}
