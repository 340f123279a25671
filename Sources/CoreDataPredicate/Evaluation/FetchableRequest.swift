/// A request that `FETCH(request, context, countOnly)` runs.
///
/// Fetch requests conform; the module that evaluates predicates knows neither them nor contexts.
package protocol FetchableRequest {
    /// What the request finds, or how much.
    ///
    /// - Throws: where the context is none, and the fetch's failures.
    func results(in context: Any, countOnly: Bool) throws(PredicateEvaluationError) -> Any
}
