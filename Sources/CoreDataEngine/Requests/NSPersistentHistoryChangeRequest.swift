import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Asks for the history of stores that were opened with `NSPersistentHistoryTrackingKey`, or
/// forgets a part of it.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// What is meant, before it is looked up in a store.
    enum Range {
        case after(NSPersistentHistoryToken?)
        case afterDate(Date)
        case before(NSPersistentHistoryToken?)
        case beforeDate(Date)
        case matching
    }

    private(set) final var range = Range.after(nil)

    /// Makes a request for everything; use the class methods.
    public required override init() {}

    private static func make(_ range: Range) -> Self {
        let made = self.init()
        made.range = range
        return made
    }

    /// Asks for what followed a token; nil for everything.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self {
        make(.after(token))
    }

    /// Asks for what followed a transaction; nil for everything.
    open class func fetchHistory(
        after transaction: NSPersistentHistoryTransaction?
    ) -> Self { make(.after(transaction?.token)) }

    /// Asks for what was written after a date.
    open class func fetchHistory(after date: Date) -> Self { make(.afterDate(date)) }

    /// Asks for the transactions, or the changes, that a fetch request's predicate picks; see
    /// `NSPersistentHistoryTransaction.fetchRequest`.
    open class func fetchHistory(
        withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
    ) -> Self {
        let made = make(.matching)
        made.fetchRequest = fetchRequest
        return made
    }

    /// Forgets what came before a token; nil forgets nothing.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
        let made = make(.before(token))
        made.resultType = .statusOnly
        return made
    }

    /// Forgets what came before a transaction, which stays; nil forgets nothing.
    open class func deleteHistory(
        before transaction: NSPersistentHistoryTransaction?
    ) -> Self { deleteHistory(before: transaction?.token) }

    /// Forgets what was written before a date.
    open class func deleteHistory(before date: Date) -> Self {
        let made = make(.beforeDate(date))
        made.resultType = .statusOnly
        return made
    }

    /// Which transactions or changes are wanted; nil for all of the range.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    /// What the result says.
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges

    /// The token that the request was made with.
    open var token: NSPersistentHistoryToken? {
        switch range {
        case .after(let token), .before(let token): token
        default: nil
        }
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self.make(range)
        copy.affectedStores = affectedStores
        copy.fetchRequest = fetchRequest
        copy.resultType = resultType
        return copy
    }
}

extension NSPersistentHistoryChangeRequest: ContextRequest {
    func run(in context: NSManagedObjectContext) throws(CoreDataError) -> NSPersistentStoreResult {
        try HistoryExecution(context: context, request: self).run()
    }
}
