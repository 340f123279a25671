import CoreDataEngine
import CoreDataPredicate
import LabScenario

/// Converts queries of scenario files to requests of the engine, for steps and observations.
extension Query {
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
