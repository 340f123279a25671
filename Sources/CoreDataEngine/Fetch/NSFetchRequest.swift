import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Describes the objects to fetch, their order and their number.
///
/// A request is mutable, and only one thread may use it. A context copies a request before
/// executing it.
///
/// `ResultType` is usually a subclass of `NSManagedObject`. It may also be
/// `any NSFetchRequestResult`, which on Linux does not conform to itself; so the type parameter
/// has no constraint here.
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest {
    private final var stored: FetchRequestOptions

    /// The request's options, read from the members that a subclass may override.
    package final var options: FetchRequestOptions {
        get { type(of: self) == NSFetchRequest<ResultType>.self ? stored : overridden }
        set { stored = newValue }
    }

    /// Creates a request without an entity; set one before executing it.
    public override init() {
        stored = FetchRequestOptions()
    }

    /// Creates a request for the objects of the entity with the given name. The entity is looked up
    /// when the request is executed.
    public convenience init(entityName: String) {
        self.init()
        stored.entityName = entityName
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchRequest<ResultType>()
        copy.options = options
        return copy
    }

    /// Whether the other request has equal options.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchRequest<ResultType> else { return false }
        return other === self || options.asks(forTheSameAs: other.options)
    }

    open override var hash: Int { (entityName ?? "").hashValue }

    /// Fetches in the context whose `perform` or `performAndWait` block is running.
    ///
    /// - Throws: 134060 outside such a block, and the errors of the context's `fetch(_:)`.
    @discardableResult
    open func execute() throws -> [ResultType] {
        try bridgingErrors { () throws(CoreDataError) in
            guard let context = NSManagedObjectContext.current else {
                throw CoreDataError(
                    .invalidArgument,
                    "execute() of a fetch request was called outside perform and performAndWait of"
                        + " a context. Call it there, or use the context's fetch(_:).")
            }
            return try context.typedResults(options)
        }
    }

    /// The name of the entity whose objects are fetched.
    open var entityName: String? { stored.entityName ?? stored.entity?.name }

    /// The entity whose objects are fetched.
    ///
    /// A request that was created with an entity name has an entity only after a context has
    /// executed the request. Reading the property earlier traps; Core Data raises an exception.
    open var entity: NSEntityDescription? {
        get { orTrap { () throws(CoreDataError) in try stored.knownEntity() } }
        set {
            stored.entity = newValue
            stored.entityName = newValue?.name
        }
    }

    open override var affectedStores: [NSPersistentStore]? {
        get { stored.affectedStores }
        set { stored.affectedStores = newValue }
    }

    /// The condition for the objects to fetch; nil for all objects.
    open var predicate: NSPredicate? {
        get { stored.predicate }
        set { stored.predicate = newValue }
    }

    /// The order of the results; nil or empty for an unspecified order.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { stored.sortDescriptors }
        set { stored.sortDescriptors = newValue }
    }

    /// The largest number of results; 0 for no limit.
    open var fetchLimit: Int {
        get { stored.fetchLimit }
        set { stored.fetchLimit = newValue }
    }

    /// The number of results to skip at the beginning.
    open var fetchOffset: Int {
        get { stored.fetchOffset }
        set { stored.fetchOffset = newValue }
    }

    /// The number of rows to read at a time as results are accessed; 0 to read all rows together.
    ///
    /// With a batch size of n, the fetch runs one SELECT of ids, and one more for every n objects
    /// that are accessed.
    open var fetchBatchSize: Int {
        get { stored.fetchBatchSize }
        set { stored.fetchBatchSize = newValue }
    }

    /// The type of the results.
    open var resultType: NSFetchRequestResultType {
        get { stored.resultType }
        set { stored.resultType = newValue }
    }

    /// Whether objects of subentities are fetched too.
    open var includesSubentities: Bool {
        get { stored.includesSubentities }
        set { stored.includesSubentities = newValue }
    }

    /// Whether unsaved changes of the context are included; ignored with a batch size.
    open var includesPendingChanges: Bool {
        get { stored.includesPendingChanges }
        set { stored.includesPendingChanges = newValue }
    }

    /// Whether rows are read; otherwise only ids are read, and the row cache is not filled.
    open var includesPropertyValues: Bool {
        get { stored.includesPropertyValues }
        set { stored.includesPropertyValues = newValue }
    }

    /// Whether objects that the context has not registered yet are returned as faults.
    ///
    /// Their rows are in the row cache, so firing these faults runs no SQL. If this property is
    /// false, a fetch also decodes transformable attributes, and fails with 134060 if it cannot
    /// decode one.
    open var returnsObjectsAsFaults: Bool {
        get { stored.returnsObjectsAsFaults }
        set { stored.returnsObjectsAsFaults = newValue }
    }

    /// Whether registered objects are refreshed with the values that were read.
    open var shouldRefreshRefetchedObjects: Bool {
        get { stored.shouldRefreshRefetchedObjects }
        set { stored.shouldRefreshRefetchedObjects = newValue }
    }

    /// Relationships whose destinations are read together with the results; one SELECT for each
    /// step of a path.
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { stored.relationshipKeyPathsForPrefetching }
        set { stored.relationshipKeyPathsForPrefetching = newValue }
    }

    /// The properties to fetch, as names or descriptions. Dictionaries hold only these, and may
    /// also hold to-one destinations as ids and computed columns.
    ///
    /// A fetch of objects reads whole rows regardless of this property.
    open var propertiesToFetch: [Any]? {
        get { stored.propertiesToFetch }
        set { stored.propertiesToFetch = newValue }
    }

    /// The properties to group dictionaries by.
    open var propertiesToGroupBy: [Any]? {
        get { stored.propertiesToGroupBy }
        set { stored.propertiesToGroupBy = newValue }
    }

    /// The condition that groups must meet to be returned.
    open var havingPredicate: NSPredicate? {
        get { stored.havingPredicate }
        set { stored.havingPredicate = newValue }
    }

    /// Whether equal dictionaries are returned only once.
    open var returnsDistinctResults: Bool {
        get { stored.returnsDistinctResults }
        set { stored.returnsDistinctResults = newValue }
    }
}

extension NSFetchRequest {
    private var overridden: FetchRequestOptions {
        var options = FetchRequestOptions(entityName: entityName)
        // Reading the entity could trap if the request was created with an entity name. So it is
        // not read in that case.
        options.entity = stored.entity ?? (options.entityName == nil ? entity : nil)
        options.predicate = predicate
        options.sortDescriptors = sortDescriptors
        options.fetchLimit = fetchLimit
        options.fetchOffset = fetchOffset
        options.fetchBatchSize = fetchBatchSize
        options.resultType = resultType
        options.includesSubentities = includesSubentities
        options.includesPendingChanges = includesPendingChanges
        options.includesPropertyValues = includesPropertyValues
        options.returnsObjectsAsFaults = returnsObjectsAsFaults
        options.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
        options.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
        options.propertiesToFetch = propertiesToFetch
        options.propertiesToGroupBy = propertiesToGroupBy
        options.havingPredicate = havingPredicate
        options.returnsDistinctResults = returnsDistinctResults
        options.affectedStores = affectedStores
        return options
    }
}

extension NSFetchRequest: FetchRequestHolder {}

@available(*, unavailable, message: "only one thread may change a fetch request; copy it instead")
extension NSFetchRequest: Sendable {}
