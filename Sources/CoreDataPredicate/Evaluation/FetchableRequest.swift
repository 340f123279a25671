/// A request that `FETCH(request, context, countOnly)` executes.
///
/// Fetch requests conform to this protocol. Requests and contexts are declared in a higher module
/// than predicates.
package protocol FetchableRequest {
    /// The results of the request, or their count.
    ///
    /// - Throws: an error if the value is not a context, and the errors of the fetch.
    func results(in context: Any, countOnly: Bool) throws(PredicateEvaluationError) -> Any
}
