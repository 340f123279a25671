/// A type whose properties can be read by name.
///
/// Managed objects conform; any class or struct can conform to be filtered and sorted.
///
/// Swift on Linux has no key-value coding. Predicates can read conforming objects, Swift
/// dictionaries with `String` keys and Foundation's dictionaries.
public protocol KeyValueCodable {
    /// Reads the value of one key, without dots.
    ///
    /// - Returns: The value; `nil` or `NSNull` if it is missing; any collection for several values.
    /// - Throws: ``PredicateEvaluationError`` for an unknown key.
    func predicateValue(forKey key: String) throws(PredicateEvaluationError) -> Any?
}

/// A type that can return a value by key without boxing the value.
package protocol OperandReadable: KeyValueCodable {
    /// Reads the value of one key, without dots, as an `Operand`.
    func predicateOperand(forKey key: String) throws(PredicateEvaluationError) -> Operand
}

/// Dictionaries with string keys and values of any type.
protocol TextKeyed {
    func keyedValue(_ key: String) -> Any?
    var keyedValues: [Any] { get }
}

extension Dictionary: TextKeyed where Key == String {
    func keyedValue(_ key: String) -> Any? { self[key].map { $0 as Any } }
    var keyedValues: [Any] { values.map { $0 as Any } }
}
