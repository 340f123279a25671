/// The error of a builder that cannot create a statement.
package struct QueryRefusal: Error, Sendable {
    /// Core Data's message for a request that a store cannot answer.
    package let message: String
    /// Whether the condition or the order can be evaluated on rows in memory.
    package let isBeyondSQL: Bool
}
