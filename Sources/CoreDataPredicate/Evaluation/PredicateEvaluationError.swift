/// Why a predicate, an expression or a sort descriptor has no answer for an object.
///
/// Foundation raises an exception in these cases. Code that implements ``KeyValueCodable`` throws
/// this error for keys that it does not know.
public struct PredicateEvaluationError: Error, Sendable, CustomStringConvertible {
    /// What is wrong and what to write instead.
    public let message: String
    /// The error of the object that was read, if it had one.
    public let underlying: (any Error & Sendable)?

    /// True where a program may well have written what it evaluates, but nothing here can answer
    /// it: a method that cannot throw tells the log.
    package private(set) var isUnsupported = false

    /// `ANYKEY` was evaluated.
    static var anyKey: PredicateEvaluationError {
        var error = PredicateEvaluationError(
            "ANYKEY means something in queries of Spotlight alone; name the keys, joined by OR")
        error.isUnsupported = true
        return error
    }

    /// Makes an error with a message of one sentence.
    public init(_ message: String, underlying: (any Error & Sendable)? = nil) {
        self.message = message
        self.underlying = underlying
    }

    /// The message.
    public var description: String { message }
}
