import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Deletes rows without creating objects for them, in SQLite stores only.
///
/// Cascades are followed. Optional inverses are set to nil, also those of a deny rule. A required
/// inverse may connect a deleted row with a remaining row, in either direction. The request then
/// fails with 134050 and deletes nothing. Other rules of the model are not checked.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    private let request: NSFetchRequest<any NSFetchRequestResult>
    private final var ids: [NSManagedObjectID]?

    /// Deletes the results of a fetch request, which may have a limit, an offset and sort
    /// descriptors.
    public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
        let copy = NSFetchRequest<any NSFetchRequestResult>()
        copy.options = fetch.options
        copy.options.resultType = .managedObjectIDResultType
        request = copy
        ids = nil
    }

    /// Deletes the results of a fetch request with a static type.
    @_disfavoredOverload
    public convenience init<T>(fetchRequest fetch: NSFetchRequest<T>) {
        let copy = NSFetchRequest<any NSFetchRequestResult>()
        copy.options = fetch.options
        self.init(fetchRequest: copy)
    }

    /// Deletes the rows with the given ids, which must all have the same entity.
    public init(objectIDs objects: [NSManagedObjectID]) {
        request = NSFetchRequest<any NSFetchRequestResult>()
        request.options.entityName = objects.first?.layout.name
        request.options.resultType = .managedObjectIDResultType
        ids = objects
        if !objects.isEmpty {
            request.predicate = NSPredicate(
                format: "self IN %@", argumentArray: [objects as NSArray])
        }
    }

    private convenience init(copying other: NSBatchDeleteRequest) {
        self.init(fetchRequest: other.fetchRequest)
        ids = other.ids
        resultType = other.resultType
    }

    /// A copy of the fetch request for the ids to delete.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> {
        let copy = NSFetchRequest<any NSFetchRequestResult>()
        copy.options = request.options
        return copy
    }

    /// The type of the result.
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchDeleteRequest(copying: self)
        copy.affectedStores = affectedStores
        return copy
    }
}

extension NSBatchDeleteRequest: ContextRequest {
    func run(in context: NSManagedObjectContext) throws(CoreDataError) -> NSPersistentStoreResult {
        let execution = BatchExecution(context: context, request: self)
        let answer: BatchExecution.Answer =
            switch resultType {
            case .resultTypeStatusOnly: .status
            case .resultTypeObjectIDs: .ids
            case .resultTypeCount: .count
            }
        if let ids, ids.isEmpty {
            let nothing: Any = answer == .ids ? [NSManagedObjectID]() : answer == .count ? 0 : true
            return NSBatchDeleteResult(result: nothing, resultType: resultType)
        }
        let plan = try FetchExecution(request.options, in: context).plan
        let batch = BatchPlan.Delete(plan: plan, keys: try ids.map(keys))
        return NSBatchDeleteResult(
            result: try execution.run(.delete(batch), answer), resultType: resultType)
    }

    private func keys(
        _ ids: [NSManagedObjectID]
    ) throws(CoreDataError) -> ContiguousArray<Int64> {
        for id in ids {
            guard let first = ids.first, id.layout.name == first.layout.name else {
                throw CoreDataError(
                    .invalidArgument,
                    "mismatched objectIDs in batch delete initializer: all must be of the entity"
                        + " '\(ids.first?.layout.name ?? "")', and one is of '\(id.layout.name)'.")
            }
            if id.isTemporaryID {
                throw CoreDataError(
                    .invalidArgument,
                    "A batch delete was given a temporary id; objects without a row are deleted"
                        + " with delete(_:).")
            }
        }
        return ContiguousArray(ids.map(\.key.key))
    }
}

/// The result of a batch delete.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    private final var value: Any?
    private final var type = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    /// Creates an empty result, for subclasses that are used in tests.
    public override init() { super.init() }

    convenience init(result: Any, resultType: NSBatchDeleteRequestResultType) {
        self.init()
        value = result
        type = resultType
    }

    /// A Bool, an Int or an array of ids, depending on the type.
    open var result: Any? { value }

    /// The result type that was set in the request.
    open var resultType: NSBatchDeleteRequestResultType { type }
}
