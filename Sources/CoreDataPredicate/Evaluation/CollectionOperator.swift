import Foundation

/// The collection operators in key paths, such as `@sum`.
enum CollectionOperator {
    /// Applies an operator to a collection, after the keys behind it were read from each element.
    static func value(
        of name: String, _ keys: ArraySlice<String>, over object: Any
    ) throws(PredicateEvaluationError) -> Any? {
        guard let collection = OperandCollection(object) else {
            throw PredicateEvaluationError(
                "\(name) needs a collection and got a \(type(of: object)); put a to-many key "
                    + "before it")
        }
        if name == "@count" {
            guard keys.isEmpty else {
                throw PredicateEvaluationError(
                    "a path continues after @count; remove the keys after it")
            }
            return collection.elements.count
        }
        guard !keys.isEmpty else {
            throw PredicateEvaluationError(
                "\(name) has no key; write \(name).price or \(name).self")
        }
        switch name {
        case "@unionOfObjects", "@distinctUnionOfObjects", "@unionOfArrays",
            "@distinctUnionOfArrays", "@unionOfSets", "@distinctUnionOfSets":
            return try union(name, keys, collection).any
        default:
            return try statistic(name, try operands(keys, collection)).any
        }
    }

    private static func operands(
        _ keys: ArraySlice<String>, _ collection: OperandCollection
    ) throws(PredicateEvaluationError) -> [Operand] {
        var operands: [Operand] = []
        operands.reserveCapacity(collection.elements.count)
        for element in collection.elements {
            operands.append(Operand(try KeyReading.value(at: keys, of: element)))
        }
        return operands
    }

    /// In `@sum` and `@avg`, an element without a value counts as 0, as in key-value coding.
    private static func statistic(
        _ name: String, _ operands: [Operand]
    ) throws(PredicateEvaluationError) -> Operand {
        switch name {
        case "@sum":
            return try Statistics.sum(operands)
        case "@avg":
            if operands.isEmpty { return .double(0) }
            let sum = try Statistics.sum(operands)
            return try Arithmetic.quotient(sum, Double(operands.count))
        case "@min": return try Statistics.extreme(operands, .orderedAscending)
        case "@max": return try Statistics.extreme(operands, .orderedDescending)
        default:
            throw PredicateEvaluationError(
                "'\(name)' is not a collection operator; write one of "
                    + Keyword.collectionOperators.joined(separator: ", "))
        }
    }

    /// The values of all elements, without missing ones. A distinct operator also removes
    /// duplicates.
    private static func union(
        _ name: String, _ keys: ArraySlice<String>, _ collection: OperandCollection
    ) throws(PredicateEvaluationError) -> OperandCollection {
        var values: [Any] = []
        let flattens = !name.hasSuffix("Objects")
        for element in collection.elements {
            let value = try KeyReading.value(at: keys, of: element)
            guard let value = ExpressionNode.constantValue(value) else { continue }
            guard flattens else {
                values.append(value)
                continue
            }
            guard let inner = OperandCollection(value) else {
                throw PredicateEvaluationError(
                    "\(name) needs collections and got a \(type(of: value)); write "
                        + name.replacing("Arrays", with: "Objects")
                        .replacing("Sets", with: "Objects"))
            }
            values += inner.elements
        }
        if name.hasPrefix("@distinct") { values = Statistics.distinct(values) }
        return OperandCollection(elements: values, isSet: name.hasSuffix("Sets"))
    }
}
