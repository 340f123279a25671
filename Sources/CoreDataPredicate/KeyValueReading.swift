import CoreDataTrace
import Foundation

/// Key-value coding of collections and plain values, with the rules that predicates also use.
package enum KeyValueReading {
    /// The value at a key path of an object. Numbers are returned as `NSNumber`, as in key-value
    /// coding.
    ///
    /// - Throws: ``PredicateEvaluationError`` for a key that an object does not have, and for
    ///   values that a collection operator cannot take.
    package static func value(
        atPath keyPath: String, of object: Any
    ) throws(PredicateEvaluationError) -> Any? {
        try value(at: keyPath.split(separator: ".").map(String.init)[...], of: object)
    }

    package static func value(
        at keys: ArraySlice<String>, of object: Any
    ) throws(PredicateEvaluationError) -> Any? {
        if let dictionary = object as? NSDictionary, Array(keys) == ["@count"] {
            return NSNumber(value: dictionary.count)
        }
        let found =
            keys.contains { $0.hasPrefix("@") }
            ? try KeyReading.value(
                at: ExpressionNode.operatorBeforeValue(Array(keys))[...], of: object)
            : try plainValue(at: keys, of: object)
        return ExpressionNode.constantValue(found).map(coded)
    }

    private static func plainValue(
        at keys: ArraySlice<String>, of object: Any
    ) throws(PredicateEvaluationError) -> Any? {
        var value: Any? = object
        for key in keys {
            guard let object = ExpressionNode.constantValue(value) else { return nil }
            value = try plainValue(of: key, object)
        }
        return value
    }

    /// The value of one key. For an ordered set, the result is an ordered set of values, although
    /// predicates would accept a list.
    private static func plainValue(
        of key: String, _ object: Any
    ) throws(PredicateEvaluationError) -> Any? {
        let isOrdered = object is NSOrderedSet && !isSelf(key)
        guard isOrdered || object is NSArray || object is NSSet || object is any Collection,
            let collection = OperandCollection(object),
            isOrdered || collection.elements.contains(where: { $0 is NSOrderedSet })
        else { return try KeyReading.value(at: [key], of: object) }
        var values: [Any] = []
        for element in collection.elements {
            let value = try ExpressionNode.constantValue(element).flatMap {
                (element) throws(PredicateEvaluationError) in try plainValue(of: key, element)
            }
            if let value = ExpressionNode.constantValue(value) {
                values.append(value)
            } else if !collection.isSet {
                values.append(NSNull())
            }
        }
        if isOrdered { return orderedSet(values) }
        return OperandCollection(elements: values, isSet: collection.isSet).any
    }

    private static func isSelf(_ key: String) -> Bool { key == "self" || key == "SELF" }

    /// An ordered set of values. A list if a value is a decimal number, which Foundation on Linux
    /// cannot hash.
    private static func orderedSet(_ values: [Any]) -> Any {
        if values.contains(where: { $0 is NSDecimalNumber || $0 is Decimal }) { return values }
        // Foundation's initialiser keeps duplicates.
        let distinct = NSMutableOrderedSet()
        for value in values { distinct.add(value) }
        return NSOrderedSet(array: distinct.array)
    }

    /// A value in its Objective-C form: a number becomes an `NSNumber`, which can be cast to every
    /// numeric type.
    private static func coded(_ value: Any) -> Any {
        switch value {
        case let decimal as Decimal: NSDecimalNumber(decimal: decimal)
        case let number as NSNumber: number
        default: value
        }
    }
}

/// Returns the result of a read for a method that cannot throw, and traps if the read fails.
/// Foundation raises an exception.
private func found(_ keyPath: String, in object: Any) -> Any? {
    do {
        return try KeyValueReading.value(atPath: keyPath, of: object)
    } catch {
        trap("\(keyPath): \(error)")
    }
}

extension NSArray {
    /// The value of a key for each element; `NSNull` for a missing value.
    ///
    /// `@count` returns the number of elements.
    ///
    /// - Precondition: The elements have the key; Foundation raises an exception otherwise.
    public func value(forKey key: String) -> Any { found(key, in: self) ?? NSNull() }

    /// The value at a key path for each element, with collection operators: `author.name`,
    /// `@avg.price`, `@distinctUnionOfObjects.city`, `@count`.
    ///
    /// - Precondition: As for ``value(forKey:)``; an operator must accept its values.
    /// - Returns: an array, or the result of the operator; nil for the minimum of an empty array.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}

extension NSSet {
    /// The value of a key for each element; missing values are left out.
    ///
    /// - Precondition: As for `NSArray`.
    public func value(forKey key: String) -> Any { found(key, in: self) ?? NSNull() }

    /// The value at a key path for each element, with collection operators.
    ///
    /// - Precondition: As for `NSArray`.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}

extension NSOrderedSet {
    /// An ordered set with the value of a key for each element; `NSNull` for a missing value.
    ///
    /// - Precondition: As for `NSArray`.
    public func value(forKey key: String) -> Any { found(key, in: self) ?? NSNull() }

    /// The value at a key path for each element, with collection operators. Without an operator,
    /// the result is an ordered set.
    ///
    /// - Precondition: As for `NSArray`.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}

extension NSDictionary {
    /// The value at a key path that begins with one of the dictionary's keys.
    ///
    /// - Precondition: As for `NSArray`.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}

extension Array {
    /// The value of a key for each element, as for `NSArray`.
    public func value(forKey key: String) -> Any { found(key, in: self) ?? NSNull() }

    /// The value at a key path for each element, as for `NSArray`.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}

extension Set {
    /// The value of a key for each element, as for `NSSet`.
    public func value(forKey key: String) -> Any { found(key, in: self) ?? NSNull() }

    /// The value at a key path for each element, as for `NSSet`.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}

extension Dictionary where Key == String {
    /// The value at a key path that begins with one of the dictionary's keys.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}
