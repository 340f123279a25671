import CoreDataTrace
import Foundation

extension NSPredicate {
    /// Implements ``evaluate(with:substitutionVariables:)``.
    func holdsOrTraps(_ object: Any?, _ bindings: [String: Any]?) -> Bool {
        do {
            return try evaluateCore(with: object, variables: bindings)
        } catch {
            guard error.isUnsupported else { trap("\(self): \(error)") }
            EngineLog.errorOnce("\(self) is false: \(error)")
            return false
        }
    }

    /// Returns whether the predicate holds for an object.
    ///
    /// - Parameters:
    ///   - object: The start of paths, and the value of `SELF`.
    ///   - variables: The values of `$NAME`.
    /// - Throws: ``PredicateEvaluationError`` for unknown keys, unbound variables and values that
    ///   an operator cannot take.
    package func evaluateCore(
        with object: Any?, variables: [String: Any]? = nil
    ) throws(PredicateEvaluationError) -> Bool {
        try Evaluator(object, variables).holds(self)
    }

    /// Returns whether a fetch from an SQL store would return the object: a comparison with a
    /// missing value is neither true nor false. A predicate of more than a few hundred levels is
    /// evaluated like ``evaluateCore(with:variables:)``.
    ///
    /// - Throws: the errors of ``evaluateCore(with:variables:)``.
    package func finds(_ object: Any?) throws(PredicateEvaluationError) -> Bool {
        try Evaluator(object, nil, missingValues: .areUnknown, anyTakesOneValue: true).holds(self)
    }

    /// Returns whether a request in memory would return the object. Unlike in
    /// ``evaluateCore(with:variables:)``, ANY accepts the value of a to-one relationship, as in
    /// SQL.
    ///
    /// - Throws: the other errors of ``evaluateCore(with:variables:)``.
    package func selects(_ object: Any?) throws(PredicateEvaluationError) -> Bool {
        try Evaluator(object, nil, anyTakesOneValue: true).holds(self)
    }
}

extension NSExpression {
    /// Implements ``expressionValue(with:context:)``.
    func valueOrTrap(_ object: Any?, _ context: NSMutableDictionary?) -> Any? {
        var variables: [String: Any] = [:]
        for (name, value) in context ?? [:] {
            if let name = name as? String { variables[name] = value }
        }
        do {
            return try valueCore(with: object, variables: variables)
        } catch {
            guard error.isUnsupported else { trap("\(self): \(error)") }
            EngineLog.errorOnce("\(self) is nil: \(error)")
            return nil
        }
    }

    /// Computes the expression for an object.
    ///
    /// - Throws: ``PredicateEvaluationError`` for unknown keys, unbound variables and values that
    ///   a function cannot take.
    package func valueCore(
        with object: Any?, variables: [String: Any]? = nil
    ) throws(PredicateEvaluationError) -> Any? {
        ExpressionNode.constantValue(try Evaluator(object, variables).value(self))
    }
}
