/// A request that `FETCH(request, context, countOnly)` executes. A protocol, because requests and
/// contexts are in a higher module.
package protocol FetchableRequest {
    /// The results of the request, or their count.
    ///
    /// - Throws: an error if the value is not a context, and the errors of the fetch.
    func results(in context: Any, countOnly: Bool) throws(PredicateEvaluationError) -> Any
}
