import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// All options of a fetch request.
///
/// The type is not generic, so the engine uses the same type for requests with any result type. A
/// context copies the options when it executes a request, so later changes of the request have no
/// effect.
package struct FetchRequestOptions {
    package var entityName: String?
    package var entity: NSEntityDescription?
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]?
    package var fetchLimit = 0
    package var fetchOffset = 0
    package var fetchBatchSize = 0
    package var resultType: NSFetchRequestResultType = .managedObjectResultType
    package var includesSubentities = true
    package var includesPendingChanges = true
    package var includesPropertyValues = true
    package var returnsObjectsAsFaults = true
    package var shouldRefreshRefetchedObjects = false
    package var relationshipKeyPathsForPrefetching: [String]?
    package var propertiesToFetch: [Any]?
    package var propertiesToGroupBy: [Any]?
    package var havingPredicate: NSPredicate?
    package var returnsDistinctResults = false
    package var affectedStores: [NSPersistentStore]?

    package init(entityName: String? = nil) { self.entityName = entityName }

    /// The entity that was set, or that a context found by its name. Throws an error if only the
    /// name is known.
    package func knownEntity() throws(CoreDataError) -> NSEntityDescription? {
        if let entityName, entity == nil {
            throw CoreDataError(
                .inaccessibleObject,
                "NSFetchRequest was created with a string name (\(entityName)), and cannot "
                    + "respond to -entity until used by an NSManagedObjectContext")
        }
        return entity
    }

    /// Throws an error for an option that a fetch does not support, with the option's name and an
    /// alternative.
    ///
    /// A context calls this method before it creates a plan. Runs no statement.
    package func checkSupported() throws(CoreDataError) {
        try checkNumbers()
        try checkResultType()
        guard resultType != .dictionaryResultType else { return }
        if propertiesToFetch?.contains(where: { $0 is NSExpressionDescription }) == true {
            throw CoreDataError(
                .invalidArgument,
                "propertiesToFetch holds an expression, which no object has; set resultType to"
                    + " .dictionaryResultType, or name only properties.")
        }
        if propertiesToGroupBy?.isEmpty == false || havingPredicate != nil {
            let name = havingPredicate == nil ? "propertiesToGroupBy" : "havingPredicate"
            throw CoreDataError(
                .invalidArgument,
                "\(name) of a fetch request applies only to dictionaries; set resultType to"
                    + " .dictionaryResultType, or leave it nil.")
        }
    }

    private func checkNumbers() throws(CoreDataError) {
        for (name, value) in [
            ("fetchLimit", fetchLimit), ("fetchOffset", fetchOffset),
            ("fetchBatchSize", fetchBatchSize),
        ] where value < 0 {
            throw CoreDataError(
                .invalidArgument,
                "\(name) of a fetch request is \(value); use 0 for none, or a positive number")
        }
    }

    private func checkResultType() throws(CoreDataError) {
        switch resultType {
        case .managedObjectResultType, .managedObjectIDResultType, .countResultType,
            .dictionaryResultType:
            break
        default:
            throw CoreDataError(
                .invalidArgument,
                "resultType \(resultType.rawValue) of a fetch request combines several types; "
                    + "use one of .managedObjectResultType, .managedObjectIDResultType, "
                    + ".dictionaryResultType and .countResultType")
        }
    }
}

/// A fetch request of any result type.
package protocol FetchRequestHolder: NSPersistentStoreRequest {
    var options: FetchRequestOptions { get set }
}

extension FetchRequestOptions {
    func asks(forTheSameAs other: FetchRequestOptions) -> Bool {
        (entityName ?? entity?.name) == (other.entityName ?? other.entity?.name)
            && predicate == other.predicate && havingPredicate == other.havingPredicate
            && sortDescriptors ?? [] == other.sortDescriptors ?? []
            && fetchLimit == other.fetchLimit && fetchOffset == other.fetchOffset
            && fetchBatchSize == other.fetchBatchSize && resultType == other.resultType
            && flags == other.flags
            && relationshipKeyPathsForPrefetching == other.relationshipKeyPathsForPrefetching
            && Self.texts(propertiesToFetch) == Self.texts(other.propertiesToFetch)
            && Self.texts(propertiesToGroupBy) == Self.texts(other.propertiesToGroupBy)
            && affectedStores.map { $0.map(ObjectIdentifier.init) }
                == other.affectedStores.map { $0.map(ObjectIdentifier.init) }
    }

    private var flags: [Bool] {
        [
            includesSubentities, includesPendingChanges, includesPropertyValues,
            returnsObjectsAsFaults, shouldRefreshRefetchedObjects, returnsDistinctResults,
        ]
    }

    /// The names of properties. For computed properties, their expressions.
    private static func texts(_ properties: [Any]?) -> [String] {
        (properties ?? []).map { property in
            switch property {
            case let computed as NSExpressionDescription:
                "\(computed.name) = \(computed.expression?.description ?? "")"
            case let property as NSPropertyDescription: property.name
            default: "\(property)"
            }
        }
    }
}
