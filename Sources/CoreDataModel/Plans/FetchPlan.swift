import CoreDataPredicate

/// A fetch request in the form that stores execute.
///
/// Its predicate contains ids in place of objects.
package struct FetchPlan: Sendable {
    package var entity: EntityLayout
    package var includesSubentities: Bool
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]
    /// The maximum number of results; zero for no limit.
    package var limit: Int
    package var offset: Int
    /// The UUIDs of the stores to search; nil for all stores that contain the entity.
    package var storeIdentifiers: [String]?

    package init(
        entity: EntityLayout, includesSubentities: Bool = true, predicate: NSPredicate? = nil,
        sortDescriptors: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.limit = limit
        self.offset = offset
    }
}

extension FetchPlan {
    /// The plan for a store's layout of the entity, which may have other column names.
    package func stored(in layout: ModelLayout) -> FetchPlan {
        if layout[entity.index] === entity { return self }
        var plan = self
        plan.entity = layout[entity.index]
        return plan
    }
}
