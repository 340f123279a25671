import Foundation

/// Key-value coding of collections and plain values, by the same rules as in predicates.
package enum KeyValueReading {
    /// The value at a key path of an object, as key-value coding gives it: numbers as `NSNumber`.
    ///
    /// - Throws: ``PredicateEvaluationError`` for a key that an object does not have, and for
    ///   values that a collection operator cannot take.
    package static func value(
        atPath keyPath: String, of object: Any
    ) throws(PredicateEvaluationError) -> Any? {
        try value(at: keyPath.split(separator: ".").map(String.init)[...], of: object)
    }

    /// The value at the keys of a path; see ``value(atPath:of:)``.
    package static func value(
        at keys: ArraySlice<String>, of object: Any
    ) throws(PredicateEvaluationError) -> Any? {
        if let dictionary = object as? NSDictionary, Array(keys) == ["@count"] {
            return NSNumber(value: dictionary.count)
        }
        let found = try KeyReading.value(
            at: ExpressionNode.operatorBeforeValue(Array(keys))[...], of: object)
        return ExpressionNode.constantValue(found).map(coded)
    }

    /// A value as Objective-C would have it, so that it casts to every type of number.
    private static func coded(_ value: Any) -> Any {
        switch value {
        case let decimal as Decimal: NSDecimalNumber(decimal: decimal)
        case let number as NSNumber: number
        default: value
        }
    }
}

/// What a read gives whose signature cannot throw; Foundation raises an exception.
private func found(_ keyPath: String, in object: Any) -> Any? {
    do {
        return try KeyValueReading.value(atPath: keyPath, of: object)
    } catch {
        preconditionFailure("\(keyPath): \(error)")
    }
}

/// Values in a set; a list where one is a decimal number, which Foundation on Linux cannot hash.
private func orderedSet(_ values: Any) -> Any {
    guard let values = values as? [Any], !values.contains(where: { $0 is NSDecimalNumber }) else {
        return values
    }
    return NSOrderedSet(array: values)
}

extension NSArray {
    /// The values of a key of all elements, `NSNull` for those that have none.
    ///
    /// `@count` gives the number of elements.
    ///
    /// - Precondition: The elements have the key; Foundation raises an exception otherwise.
    public func value(forKey key: String) -> Any { found(key, in: self) ?? NSNull() }

    /// The values at a key path of all elements, with collection operators: `author.name`,
    /// `@avg.price`, `@distinctUnionOfObjects.city`, `@count`.
    ///
    /// - Precondition: As for ``value(forKey:)``; an operator's values are those that it takes.
    /// - Returns: an array, or what the operator computes; nil for the smallest of none.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}

extension NSSet {
    /// The values of a key of all elements; those that have none are left out.
    ///
    /// - Precondition: As for `NSArray`.
    public func value(forKey key: String) -> Any { found(key, in: self) ?? NSNull() }

    /// The values at a key path of all elements, with collection operators.
    ///
    /// - Precondition: As for `NSArray`.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}

extension NSOrderedSet {
    /// The values of a key of all elements in an ordered set, `NSNull` for those that have none.
    ///
    /// - Precondition: As for `NSArray`.
    public func value(forKey key: String) -> Any { orderedSet(found(key, in: self) ?? NSNull()) }

    /// The values at a key path of all elements, with collection operators; without one they are in
    /// an ordered set.
    ///
    /// - Precondition: As for `NSArray`.
    public func value(forKeyPath keyPath: String) -> Any? {
        let found = found(keyPath, in: self)
        return keyPath.contains("@") ? found : found.map(orderedSet)
    }
}

extension NSDictionary {
    /// The value at a key path that begins with one of the dictionary's keys.
    ///
    /// - Precondition: As for `NSArray`.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}

extension Array {
    /// The values of a key of all elements, as `NSArray` gives them.
    public func value(forKey key: String) -> Any { found(key, in: self) ?? NSNull() }

    /// The values at a key path of all elements, as `NSArray` gives them.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}

extension Set {
    /// The values of a key of all elements, as `NSSet` gives them.
    public func value(forKey key: String) -> Any { found(key, in: self) ?? NSNull() }

    /// The values at a key path of all elements, as `NSSet` gives them.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}

extension Dictionary where Key == String {
    /// The value at a key path that begins with one of the dictionary's keys.
    public func value(forKeyPath keyPath: String) -> Any? { found(keyPath, in: self) }
}
