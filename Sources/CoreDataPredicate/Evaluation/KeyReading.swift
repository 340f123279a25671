import Foundation

/// Reads values by key, for evaluation and sorting.
package enum KeyReading {
    /// Reads a key path; a collection on the path is replaced by the values of its elements.
    ///
    /// - Throws: ``PredicateEvaluationError`` for a key that an object does not have.
    package static func value(
        at keys: ArraySlice<String>, of object: Any?
    ) throws(PredicateEvaluationError) -> Any? {
        var value = object
        var rest = keys
        while let key = rest.popFirst() {
            guard let object = ExpressionNode.constantValue(value) else { return nil }
            if key.utf8.first == UInt8(ascii: "@") {
                return try CollectionOperator.value(of: key, rest, over: object)
            }
            value = try self.value(of: key, object)
        }
        return value
    }

    /// Reads a key path for a comparison. The value of a single key of a managed object is not
    /// boxed.
    package static func operand(
        at keys: [String], of object: Any?
    ) throws(PredicateEvaluationError) -> Operand {
        if let key = plainKey(of: keys), let readable = object as? any OperandReadable {
            return try readable.predicateOperand(forKey: key)
        }
        return Operand(try value(at: keys[...], of: object))
    }

    /// Reads a key path and returns one value per member, including missing values and duplicates.
    /// A collection at the end of the path is returned unchanged.
    ///
    /// - Throws: ``PredicateEvaluationError`` for a key that an object does not have.
    static func members(
        at keys: ArraySlice<String>, of object: Any?
    ) throws(PredicateEvaluationError) -> Operand {
        guard let object = ExpressionNode.constantValue(object) else { return .null }
        guard let key = keys.first else { return Operand(object) }
        if key.utf8.first == UInt8(ascii: "@") { return Operand(try value(at: keys, of: object)) }
        guard !(object is any KeyValueCodable), case .collection(let collection) = Operand(object)
        else { return try members(at: keys.dropFirst(), of: try value(of: key, object)) }
        var values: [Any] = []
        for element in collection.elements {
            switch try members(at: keys, of: element) {
            case .collection(let inner) where keys.count > 1: values += inner.elements
            case let value: values.append(value.any ?? NSNull())
            }
        }
        return .collection(OperandCollection(elements: values, isSet: false))
    }

    /// The only key of a path; nil for several keys, for an operator and for `self`.
    static func plainKey(of keys: [String]) -> String? {
        guard keys.count == 1, keys[0].utf8.first != UInt8(ascii: "@"), keys[0] != "self",
            keys[0] != "SELF"
        else { return nil }
        return keys[0]
    }

    private static func value(
        of key: String, _ object: Any
    ) throws(PredicateEvaluationError) -> Any? {
        if key == "self" || key == "SELF" { return object }
        switch object {
        case let object as any KeyValueCodable: return try object.predicateValue(forKey: key)
        case let dictionary as any TextKeyed: return dictionary.keyedValue(key)
        case let dictionary as NSDictionary where type(of: object) is AnyClass:
            return dictionary.object(forKey: key)
        case let dictionary as [AnyHashable: Any]: return dictionary[key]
        default: break
        }
        let operand = Operand(object)
        if case .collection(let collection) = operand {
            return try mapped(collection, key).any
        }
        if let value = BuiltinKey.value(of: key, operand) { return value.any }
        throw PredicateEvaluationError(
            "a \(type(of: object)) has no value for the key '\(key)'; "
                + "use a key that it has, or make the type KeyValueCodable")
    }

    /// Reads one key of each element. A list keeps the positions of missing values, and a set drops
    /// them.
    private static func mapped(
        _ collection: OperandCollection, _ key: String
    ) throws(PredicateEvaluationError) -> OperandCollection {
        var values: [Any] = []
        values.reserveCapacity(collection.elements.count)
        for element in collection.elements {
            guard let object = ExpressionNode.constantValue(element) else {
                if !collection.isSet { values.append(NSNull()) }
                continue
            }
            if let found = ExpressionNode.constantValue(try value(of: key, object)) {
                values.append(found)
            } else if !collection.isSet {
                values.append(NSNull())
            }
        }
        return OperandCollection(elements: values, isSet: collection.isSet)
    }
}

/// The properties of strings, numbers, dates and other plain values that key paths can read.
package enum BuiltinKey {
    package static let names: Set = [
        "length", "uppercaseString", "lowercaseString", "capitalizedString", "integerValue",
        "intValue", "longLongValue", "doubleValue", "floatValue", "boolValue", "stringValue",
        "timeIntervalSinceReferenceDate", "timeIntervalSince1970", "UUIDString", "uuidString",
        "absoluteString", "path", "host", "scheme", "lastPathComponent", "pathExtension",
    ]

    static func value(of key: String, _ operand: Operand) -> Operand? {
        switch operand {
        case .string(let text): return value(of: key, text)
        case .integer, .double, .decimal: return numberValue(of: key, operand)
        case .date(let seconds):
            switch key {
            case "timeIntervalSinceReferenceDate": return .double(seconds)
            case "timeIntervalSince1970":
                return .double(seconds + Date.timeIntervalBetween1970AndReferenceDate)
            default: return nil
            }
        case .data(let data): return key == "length" ? .integer(Int64(data.count)) : nil
        case .uuid(let id):
            return key == "UUIDString" || key == "uuidString" ? .string(id.uuidString) : nil
        case .url(let url): return value(of: key, url)
        default: return nil
        }
    }

    private static func value(of key: String, _ text: String) -> Operand? {
        switch key {
        case "length": .integer(Int64(text.utf16.count))
        case "uppercaseString": .string(text.uppercased())
        case "lowercaseString": .string(text.lowercased())
        case "capitalizedString": .string(text.capitalized)
        case "integerValue", "intValue", "longLongValue":
            .integer(Int64((text as NSString).integerValue))
        case "doubleValue", "floatValue": .double((text as NSString).doubleValue)
        case "boolValue": .integer((text as NSString).boolValue ? 1 : 0)
        default: nil
        }
    }

    private static func numberValue(of key: String, _ number: Operand) -> Operand? {
        switch key {
        case "integerValue", "intValue", "longLongValue":
            number.double.flatMap { Int64(exactly: $0.rounded(.towardZero)) }.map(Operand.integer)
        case "doubleValue", "floatValue": number.double.map(Operand.double)
        case "boolValue": number.double.map { .integer($0 != 0 ? 1 : 0) }
        case "stringValue": CastType.string.converted(number)
        default: nil
        }
    }

    private static func value(of key: String, _ url: URL) -> Operand? {
        switch key {
        case "absoluteString": .string(url.absoluteString)
        case "path": .string(url.path)
        case "host": url.host.map(Operand.string) ?? .null
        case "scheme": url.scheme.map(Operand.string) ?? .null
        case "lastPathComponent": .string(url.lastPathComponent)
        case "pathExtension": .string(url.pathExtension)
        default: nil
        }
    }
}
