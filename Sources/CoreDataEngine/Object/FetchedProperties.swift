import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// Reads fetched properties, for key-value coding. The first access runs a fetch, and its result is
/// kept until the object is refreshed.
extension NSManagedObject {
    final func fetchedProperty(named key: String) -> NSFetchedPropertyDescription? {
        entity.propertiesByName[key] as? NSFetchedPropertyDescription
    }

    /// The results of the property's request. Empty for an object without a context.
    ///
    /// - Throws: `invalidArgument` for a property without a request, and the fetch's failures.
    final func readFetched(
        _ property: NSFetchedPropertyDescription
    ) throws(CoreDataError) -> [Any] {
        try prepareAccess()
        if let known = relationships?.fetched[property.name] { return known }
        guard let context = registry?.context else { return [] }
        guard var options = property.fetchRequest?.options else {
            throw CoreDataError(
                .invalidArgument,
                "The fetched property '\(property.name)' of '\(layout.name)' has no request. Set"
                    + " its fetchRequest before the model is used.")
        }
        options.predicate = options.predicate?.binding([
            "FETCH_SOURCE": self, "FETCHED_PROPERTY": property,
        ])
        let found: [Any] =
            switch try context.fetchResults(options) {
            case .objects(let objects): objects
            case .ids(let ids): ids
            case .count(let count): [NSNumber(value: count)]
            case .dictionaries(let dictionaries): dictionaries
            }
        ensureRelationships().fetched[property.name] = found
        return found
    }

    static func unchangeable(_ key: String) -> CoreDataError {
        CoreDataError(
            .invalidArgument,
            "'\(key)' is a fetched property and cannot be set; change the objects that its request"
                + " finds, and refresh this object.")
    }
}
