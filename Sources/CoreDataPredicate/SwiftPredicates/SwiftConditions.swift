import Foundation

extension PredicateExpressions.Conjunction: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let parts = [try translation.condition(lhs), try translation.condition(rhs)]
        return .condition(NSCompoundPredicate(andPredicateWithSubpredicates: parts))
    }
}

extension PredicateExpressions.Disjunction: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let parts = [try translation.condition(lhs), try translation.condition(rhs)]
        return .condition(NSCompoundPredicate(orPredicateWithSubpredicates: parts))
    }
}

extension PredicateExpressions.Negation: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        .condition(
            NSCompoundPredicate(notPredicateWithSubpredicate: try translation.condition(wrapped)))
    }
}

extension PredicateExpressions.Equal: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let (left, right) = (try translation.value(lhs), try translation.value(rhs))
        return .condition(SwiftTranslation.compare(left, .equalTo, right))
    }
}

extension PredicateExpressions.NotEqual: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let (left, right) = (try translation.value(lhs), try translation.value(rhs))
        return .condition(SwiftTranslation.compare(left, .notEqualTo, right))
    }
}

extension PredicateExpressions.Comparison: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let (left, right) = (try translation.value(lhs), try translation.value(rhs))
        let type: NSComparisonPredicate.Operator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqualTo
            @unknown default: throw SwiftTranslation.Untranslatable()
            }
        return .condition(SwiftTranslation.compare(left, type, right))
    }
}

// MARK: Collections and strings

extension PredicateExpressions.SequenceContains: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let (all, one) = (try translation.value(sequence), try translation.value(element))
        // For NSPredicate, a character is a substring of a string, not an element.
        if RHS.Output.self == Character.self {
            return .condition(SwiftTranslation.compare(all, .contains, one))
        }
        return .condition(SwiftTranslation.compare(one, .in, all))
    }
}

extension PredicateExpressions.SequenceContainsWhere: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let found = try translation.subquery(sequence, variable, test)
        return .condition(
            SwiftTranslation.compare(
                SwiftTranslation.count(of: found), .greaterThan, NSExpression(forConstantValue: 0)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let others = try translation.subquery(sequence, variable, test, negated: true)
        return .condition(
            SwiftTranslation.compare(
                SwiftTranslation.count(of: others), .equalTo, NSExpression(forConstantValue: 0)))
    }
}

extension PredicateExpressions.SequenceStartsWith: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        guard Base.Output.self == String.self else { throw SwiftTranslation.Untranslatable() }
        let (text, start) = (try translation.value(base), try translation.value(prefix))
        return .condition(SwiftTranslation.compare(text, .beginsWith, start))
    }
}

extension PredicateExpressions.CollectionContainsCollection: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        guard Base.Output.self == String.self else { throw SwiftTranslation.Untranslatable() }
        let (text, other) = (try translation.value(base), try translation.value(other))
        return .condition(SwiftTranslation.compare(text, .contains, other))
    }
}

// MARK: Ranges

extension PredicateExpressions.RangeExpressionContains: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let value = try translation.value(element)
        var parts: [NSPredicate] = []
        if let bounds = range as? any SwiftRange {
            let (lower, upper, isClosed) = try bounds.bounds(&translation)
            parts = Self.conditions(value, lower, upper, isClosed)
        } else if let bounds = (range as? any ConstantRangeHolder)?.constantRange {
            parts = Self.conditions(
                value, bounds.lower.map { NSExpression(forConstantValue: $0) },
                bounds.upper.map { NSExpression(forConstantValue: $0) }, bounds.isClosed)
        } else {
            throw SwiftTranslation.Untranslatable()
        }
        return .condition(
            parts.count == 1
                ? parts[0] : NSCompoundPredicate(andPredicateWithSubpredicates: parts))
    }

    private static func conditions(
        _ value: NSExpression, _ lower: NSExpression?, _ upper: NSExpression?, _ isClosed: Bool
    ) -> [NSPredicate] {
        var parts: [NSPredicate] = []
        if let lower { parts.append(SwiftTranslation.compare(value, .greaterThanOrEqualTo, lower)) }
        if let upper {
            parts.append(
                SwiftTranslation.compare(
                    value, isClosed ? .lessThanOrEqualTo : .lessThan, upper))
        }
        return parts
    }
}

/// A range whose bounds are expressions.
private protocol SwiftRange {
    func bounds(
        _ translation: inout SwiftTranslation
    ) throws -> (lower: NSExpression?, upper: NSExpression?, isClosed: Bool)
}

extension PredicateExpressions.Range: SwiftRange {
    func bounds(
        _ translation: inout SwiftTranslation
    ) throws -> (lower: NSExpression?, upper: NSExpression?, isClosed: Bool) {
        (try translation.value(lower), try translation.value(upper), false)
    }
}

extension PredicateExpressions.ClosedRange: SwiftRange {
    func bounds(
        _ translation: inout SwiftTranslation
    ) throws -> (lower: NSExpression?, upper: NSExpression?, isClosed: Bool) {
        (try translation.value(lower), try translation.value(upper), true)
    }
}

/// A constant value that can be a range.
private protocol ConstantRangeHolder {
    var constantRange: (any ConstantRange)? { get }
}

extension PredicateExpressions.Value: ConstantRangeHolder {
    fileprivate var constantRange: (any ConstantRange)? { value as? any ConstantRange }
}

/// A range with constant bounds.
private protocol ConstantRange {
    var lower: Any? { get }
    var upper: Any? { get }
    var isClosed: Bool { get }
}

extension Range: ConstantRange {
    var lower: Any? { lowerBound }
    var upper: Any? { upperBound }
    var isClosed: Bool { false }
}

extension ClosedRange: ConstantRange {
    var lower: Any? { lowerBound }
    var upper: Any? { upperBound }
    var isClosed: Bool { true }
}

extension PartialRangeFrom: ConstantRange {
    var lower: Any? { lowerBound }
    var upper: Any? { nil }
    var isClosed: Bool { false }
}

extension PartialRangeUpTo: ConstantRange {
    var lower: Any? { nil }
    var upper: Any? { upperBound }
    var isClosed: Bool { false }
}

extension PartialRangeThrough: ConstantRange {
    var lower: Any? { nil }
    var upper: Any? { upperBound }
    var isClosed: Bool { true }
}
