/// The reason why a predicate, an expression or a sort descriptor cannot be evaluated for an
/// object.
///
/// Foundation raises an exception in these cases. Code that implements ``KeyValueCodable`` throws
/// this error for keys that it does not know.
public struct PredicateEvaluationError: Error, Sendable, CustomStringConvertible {
    /// The problem and the remedy.
    public let message: String
    /// The error that the evaluated object threw, if any.
    public let underlying: (any Error & Sendable)?

    /// Whether the expression is valid but not supported here. A method that cannot throw then only
    /// logs the error.
    package private(set) var isUnsupported = false

    /// `ANYKEY` was evaluated.
    static var anyKey: PredicateEvaluationError {
        var error = PredicateEvaluationError(
            "ANYKEY only works in Spotlight queries; compare each key and join them by OR")
        error.isUnsupported = true
        return error
    }

    /// Creates an error whose message is one sentence.
    public init(_ message: String, underlying: (any Error & Sendable)? = nil) {
        self.message = message
        self.underlying = underlying
    }

    /// The message.
    public var description: String { message }
}
