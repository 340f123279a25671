import CoreDataEngine
import CoreDataPredicate
import LabScenario

/// Queries of scenario files as requests of the engine. Steps and observations make theirs here.
extension Query {
    /// The query's entity, limit and order with a predicate that is ready to run.
    func options(_ predicate: NSPredicate?) -> FetchRequestOptions {
        var options = FetchRequestOptions(entityName: entity.value)
        options.predicate = predicate
        options.fetchLimit = limit ?? 0
        if !sort.isEmpty {
            options.sortDescriptors = sort.map {
                NSSortDescriptor(key: $0.keyPath.value, ascending: $0.isAscending)
            }
        }
        return options
    }
}
