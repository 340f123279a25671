import CoreDataModel
import CoreDataPredicate

/// The fetch request of a fetched property. The model stores it as an untyped value.
extension NSFetchedPropertyDescription {
    /// The request that is executed for an object when the property is first read.
    ///
    /// In its predicate, `$FETCH_SOURCE` is the object and `$FETCHED_PROPERTY` this description.
    /// Once the model is in use, this property returns a copy.
    public var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get {
            if let known = request as? NSFetchRequest<any NSFetchRequestResult> {
                return isFrozen ? known.duplicate : known
            }
            guard let source = requestSource else { return nil }
            let made = NSFetchRequest(source, in: owner?.ownerModel)
            // The request is stored, so that the program can change it until the model is frozen.
            if !isFrozen { request = made }
            return made
        }
        set { request = newValue }
    }
}

extension NSFetchRequest where ResultType == any NSFetchRequestResult {
    /// Creates the request that a model file describes. The model reader has already checked its
    /// predicate and its other strings.
    convenience init(_ source: FetchRequestSource, in model: NSManagedObjectModel?) {
        self.init()
        options = FetchRequestOptions(entityName: source.entityName)
        options.entity = model?.entitiesByName[source.entityName]
        options.predicate = source.predicateFormat.flatMap { try? NSPredicate.parse($0) }
        options.resultType = NSFetchRequestResultType(rawValue: UInt(source.resultType))
        options.fetchLimit = source.fetchLimit
        options.fetchBatchSize = source.fetchBatchSize
        options.includesSubentities = source.includesSubentities
        options.includesPropertyValues = source.includesPropertyValues
        options.includesPendingChanges = source.includesPendingChanges
        options.returnsObjectsAsFaults = source.returnsObjectsAsFaults
        options.returnsDistinctResults = source.returnsDistinctResults
    }

    var duplicate: NSFetchRequest<any NSFetchRequestResult> {
        let copy = NSFetchRequest<any NSFetchRequestResult>()
        copy.options = options
        return copy
    }
}
