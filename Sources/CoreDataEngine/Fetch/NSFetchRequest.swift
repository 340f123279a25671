import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// What to fetch, in which order and how much of it.
///
/// A request is a mutable description for one thread. A context copies it when it executes it.
///
/// `ResultType` is usually a subclass of `NSManagedObject`. It may also be
/// `any NSFetchRequestResult`, which on Linux does not conform to itself; so the type parameter
/// has no constraint here.
public final class NSFetchRequest<ResultType>: NSPersistentStoreRequest {
    package var options: FetchRequestOptions

    /// Makes a request without an entity; set one before executing it.
    public override init() {
        options = FetchRequestOptions()
    }

    /// Makes a request for the objects of an entity, which is looked up when it is executed.
    public convenience init(entityName: String) {
        self.init()
        options.entityName = entityName
    }

    public override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchRequest<ResultType>()
        copy.options = options
        return copy
    }

    /// Whether the other asks for the same.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchRequest<ResultType> else { return false }
        return other === self || options.asks(forTheSameAs: other.options)
    }

    public override var hash: Int { (entityName ?? "").hashValue }

    /// The name of the entity whose objects are fetched.
    public var entityName: String? { options.entityName ?? options.entity?.name }

    /// The entity whose objects are fetched.
    ///
    /// A request that was made with a name knows its entity only after a context has executed
    /// it; reading it earlier ends the process, as Core Data raises an exception.
    public var entity: NSEntityDescription? {
        get { orTrap { () throws(CoreDataError) in try options.knownEntity() } }
        set {
            options.entity = newValue
            options.entityName = newValue?.name
        }
    }

    public override var affectedStores: [NSPersistentStore]? {
        get { options.affectedStores }
        set { options.affectedStores = newValue }
    }

    /// Which objects to fetch; nil for all.
    public var predicate: NSPredicate? {
        get { options.predicate }
        set { options.predicate = newValue }
    }

    /// The order of the results; nil or empty for none in particular.
    public var sortDescriptors: [NSSortDescriptor]? {
        get { options.sortDescriptors }
        set { options.sortDescriptors = newValue }
    }

    /// The largest number of results; 0 for no limit.
    public var fetchLimit: Int {
        get { options.fetchLimit }
        set { options.fetchLimit = newValue }
    }

    /// How many of the first results to leave out.
    public var fetchOffset: Int {
        get { options.fetchOffset }
        set { options.fetchOffset = newValue }
    }

    /// How many rows to read at a time as results are touched; 0 to read them all at once.
    ///
    /// With a batch size of n the fetch is one SELECT of ids, and one SELECT more for every n
    /// objects that are touched.
    public var fetchBatchSize: Int {
        get { options.fetchBatchSize }
        set { options.fetchBatchSize = newValue }
    }

    /// What the results are.
    public var resultType: NSFetchRequestResultType {
        get { options.resultType }
        set { options.resultType = newValue }
    }

    /// Whether objects of subentities are fetched too.
    public var includesSubentities: Bool {
        get { options.includesSubentities }
        set { options.includesSubentities = newValue }
    }

    /// Whether unsaved changes of the context count; not with a batch size.
    public var includesPendingChanges: Bool {
        get { options.includesPendingChanges }
        set { options.includesPendingChanges = newValue }
    }

    /// Whether rows are read; without, only ids are, and the row cache is not filled.
    public var includesPropertyValues: Bool {
        get { options.includesPropertyValues }
        set { options.includesPropertyValues = newValue }
    }

    /// Whether objects that the context does not have yet come as faults; their rows are in the
    /// row cache, so that firing them runs no SQL.
    public var returnsObjectsAsFaults: Bool {
        get { options.returnsObjectsAsFaults }
        set { options.returnsObjectsAsFaults = newValue }
    }

    /// Whether objects that the context has already take the values that were read.
    public var shouldRefreshRefetchedObjects: Bool {
        get { options.shouldRefreshRefetchedObjects }
        set { options.shouldRefreshRefetchedObjects = newValue }
    }

    /// Relationships whose destinations are read along; one SELECT for each step of a path.
    public var relationshipKeyPathsForPrefetching: [String]? {
        get { options.relationshipKeyPathsForPrefetching }
        set { options.relationshipKeyPathsForPrefetching = newValue }
    }

    /// The properties to fetch, as names or descriptions; dictionaries hold these alone, and may
    /// hold to-one destinations as ids and computed columns too.
    ///
    /// A fetch of objects reads whole rows whatever stands here.
    public var propertiesToFetch: [Any]? {
        get { options.propertiesToFetch }
        set { options.propertiesToFetch = newValue }
    }

    /// The properties to group dictionaries by.
    public var propertiesToGroupBy: [Any]? {
        get { options.propertiesToGroupBy }
        set { options.propertiesToGroupBy = newValue }
    }

    /// Which groups to return.
    public var havingPredicate: NSPredicate? {
        get { options.havingPredicate }
        set { options.havingPredicate = newValue }
    }

    /// Whether equal results are returned once.
    public var returnsDistinctResults: Bool {
        get { options.returnsDistinctResults }
        set { options.returnsDistinctResults = newValue }
    }
}

extension NSFetchRequest: FetchRequestHolder {}

@available(*, unavailable, message: "a fetch request is changed by one thread; copy it instead")
extension NSFetchRequest: Sendable {}
