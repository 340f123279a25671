import CoreDataPredicate
import CoreDataStore

/// The expression type of fetch expressions, under its older name.
public let NSFetchRequestExpressionType: NSExpression.ExpressionType = .fetchRequest

/// An expression that fetches, written `FETCH(request, context, countOnly)`.
///
/// It is computed in memory, because a store cannot translate a predicate that contains it.
public final class NSFetchRequestExpression: NSExpression {
    /// The expression whose value is the fetch request.
    public let requestExpression: NSExpression
    /// The expression whose value is the fetching context.
    public let contextExpression: NSExpression
    /// Whether the value is the number of results.
    public let isCountOnlyRequest: Bool

    private init(_ request: NSExpression, _ context: NSExpression, countOnly: Bool) {
        requestExpression = request
        contextExpression = context
        isCountOnlyRequest = countOnly
        let flag = NSExpression(forConstantValue: countOnly)
        super.init(expressionType: .evaluatedObject)
        adopt(.function(BuiltinFunction.fetchName, [request, context, flag]))
    }

    /// Creates an expression that runs a request.
    ///
    /// - Parameters:
    ///   - fetch: evaluates to an `NSFetchRequest`.
    ///   - context: evaluates to the context; the expression must be evaluated on its queue.
    public class func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
    ) -> NSExpression {
        NSFetchRequestExpression(fetch, context, countOnly: countFlag)
    }

    /// The type is always `fetchRequest`.
    public override var expressionType: NSExpression.ExpressionType { .fetchRequest }
}

/// `@unchecked Sendable` because an expression never changes; the values of its parts are used only
/// where the expression is evaluated.
extension NSFetchRequestExpression: @unchecked Sendable {}

extension NSFetchRequest: FetchableRequest {
    package func results(
        in context: Any, countOnly: Bool
    ) throws(PredicateEvaluationError) -> Any {
        guard let context = context as? NSManagedObjectContext else {
            throw PredicateEvaluationError(
                "FETCH needs a context and got a \(type(of: context)); write FETCH(%@, %@, NO)")
        }
        do {
            if countOnly { return try context.countResults(options) }
            switch try context.fetchResults(options) {
            case .objects(let objects): return objects
            case .ids(let ids): return ids
            case .count(let count): return count
            case .dictionaries(let dictionaries): return dictionaries
            }
        } catch {
            throw PredicateEvaluationError(error.message)
        }
    }
}
