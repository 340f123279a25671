import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import LabScenario

extension StepRunner {
    func watch(_ query: Query, by sections: String?, _ name: String) throws(Stop) -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: query.entity.value)
        request.predicate = try predicate(query.predicate, of: query.entity.value)
        request.sortDescriptors = query.sort.map {
            NSSortDescriptor(key: $0.keyPath.value, ascending: $0.isAscending)
        }
        let list: WatchedList
        do {
            list = try WatchedList(request, by: sections, in: context.context)
        } catch {
            let reason = (error as NSError).localizedDescription
            throw .engine(
                CoreDataError(.invalidArgument, "the results cannot be fetched: \(reason)"))
        }
        context.lists[name] = list
        return "\(list.count)"
    }

    func shown(_ list: String, isBySection: Bool, _ name: String?) throws(Stop) -> String {
        guard let list = context.lists[list] else { throw .missing(list) }
        let value: ObservedValue =
            isBySection ? .list(list.sections.map { .text($0) }) : .integer(Int64(list.count))
        bind(name, value)
        return value.quoted
    }
}
