import CoreDataPredicate

/// The predicate and the warning that Core Data creates for a rule in a model file.
///
/// Validation evaluates the predicate. If a value does not meet it, validation reports the error
/// code in the warning.
struct ValidationRule {
    let predicate: NSPredicate
    /// The error code in decimal.
    let warning: String

    private init(
        _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: Any, _ code: Int
    ) {
        predicate = NSComparisonPredicate(
            leftExpression: left, rightExpression: NSExpression(forConstantValue: right),
            modifier: .direct, type: type, options: [])
        warning = String(code)
    }

    /// Creates `SELF >= limit`, or `length >= limit` for strings; `<=` for a maximum.
    static func limit(
        _ bound: AttributeText.Bound, _ limit: Any, of type: NSAttributeType
    ) -> ValidationRule {
        let isString = type == .stringAttributeType
        let left =
            isString
            ? NSExpression(forKeyPath: "length") : NSExpression.expressionForEvaluatedObject()
        let codes: (minimum: Int, maximum: Int) =
            switch type {
            case .stringAttributeType: (1670, 1660)
            case .dateAttributeType: (1640, 1630)
            default: (1620, 1610)
            }
        return switch bound {
        case .minimum:
            ValidationRule(left, .greaterThanOrEqualTo, limit, codes.minimum)
        case .maximum:
            ValidationRule(left, .lessThanOrEqualTo, limit, codes.maximum)
        }
    }

    static func pattern(_ pattern: String) -> ValidationRule {
        ValidationRule(NSExpression.expressionForEvaluatedObject(), .matches, pattern, 1680)
    }
}
