/// A fetch request in the form of a model file, before it is parsed.
///
/// Used for fetch request templates and fetched properties. The engine, which declares
/// `NSFetchRequest`, creates the request.
package struct FetchRequestSource: Sendable, Equatable {
    package var entityName: String
    /// The predicate in the format language, with `$VARIABLES`.
    package var predicateFormat: String?
    package var resultType = 0
    package var fetchLimit = 0
    package var fetchBatchSize = 0
    package var includesSubentities = true
    package var includesPropertyValues = true
    package var includesPendingChanges = true
    package var returnsObjectsAsFaults = true
    package var returnsDistinctResults = false

    package init(entityName: String) { self.entityName = entityName }
}
