import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Deletes rows without making objects of them, in SQLite stores only.
///
/// Cascades are followed and optional inverses set to nil, those of a deny rule too. Where the
/// inverse is required and a row that stays still refers to a deleted one, or is referred to by it,
/// the request fails with 134050 and deletes nothing. No other rule of the model is checked.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    private let request: NSFetchRequest<any NSFetchRequestResult>
    private let ids: [NSManagedObjectID]?

    /// Deletes what a fetch request finds; its limit, offset and order count.
    public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
        let copy = NSFetchRequest<any NSFetchRequestResult>()
        copy.options = fetch.options
        copy.options.resultType = .managedObjectIDResultType
        request = copy
        ids = nil
    }

    /// Deletes what a fetch request with a static type finds.
    @_disfavoredOverload
    public convenience init<T>(fetchRequest fetch: NSFetchRequest<T>) {
        let copy = NSFetchRequest<any NSFetchRequestResult>()
        copy.options = fetch.options
        self.init(fetchRequest: copy)
    }

    /// Deletes the rows of ids, which must all be of one entity.
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

    private init(copying other: NSBatchDeleteRequest) {
        request = other.fetchRequest
        ids = other.ids
        resultType = other.resultType
    }

    /// A copy of what is deleted, as a fetch of ids.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> {
        let copy = NSFetchRequest<any NSFetchRequestResult>()
        copy.options = request.options
        return copy
    }

    /// What the result says.
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

/// What a batch delete came back with.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    private let value: Any
    private let type: NSBatchDeleteRequestResultType

    init(result: Any, resultType: NSBatchDeleteRequestResultType) {
        value = result
        type = resultType
    }

    /// A Bool, an Int or an array of ids, as the type says.
    open var result: Any? { value }

    /// What the request asked for.
    open var resultType: NSBatchDeleteRequestResultType { type }
}
