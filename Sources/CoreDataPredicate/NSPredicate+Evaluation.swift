import CoreDataTrace
import Foundation

extension NSPredicate {
    /// Returns whether the predicate holds for an object.
    ///
    /// The object is ``KeyValueCodable``, a dictionary with string keys, a collection or a value.
    ///
    /// - Precondition: The object has the keys and the values fit their operators; Foundation
    ///   raises an exception otherwise.
    public func evaluate(with object: Any?) -> Bool {
        evaluate(with: object, substitutionVariables: nil)
    }

    /// Returns whether the predicate holds for an object, with values for its variables.
    ///
    /// - Precondition: As for ``evaluate(with:)``, and every variable has a value.
    public func evaluate(
        with object: Any?, substitutionVariables bindings: [String: Any]?
    ) -> Bool {
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
        try Evaluator(object, nil, missingValues: .areUnknown).holds(self)
    }
}

extension NSExpression {
    /// Computes the expression for an object.
    ///
    /// - Parameters:
    ///   - object: The start of paths, and the value of `SELF`.
    ///   - context: The values of variables by name; also passed to blocks.
    /// - Precondition: The object has every key of the expression, and every function accepts its
    ///   arguments. Otherwise Foundation raises an exception.
    public func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
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
