import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Reads or deletes the history of stores that were opened with `NSPersistentHistoryTrackingKey`.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// The requested range. A store looks up the tokens in it later.
    enum Range {
        case after(NSPersistentHistoryToken?)
        case afterDate(Date)
        case before(NSPersistentHistoryToken?)
        case beforeDate(Date)
        case matching
    }

    private(set) final var range = Range.after(nil)

    /// Creates a request for the whole history. Prefer the class methods.
    public required override init() {}

    private static func make(_ range: Range) -> Self {
        let made = self.init()
        made.range = range
        return made
    }

    /// Reads the history after a token; nil for the whole history.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self {
        make(.after(token))
    }

    /// Reads the history after a transaction; nil for the whole history.
    open class func fetchHistory(
        after transaction: NSPersistentHistoryTransaction?
    ) -> Self { make(.after(transaction?.token)) }

    /// Reads the history written after a date.
    open class func fetchHistory(after date: Date) -> Self { make(.afterDate(date)) }

    /// Reads the transactions, or the changes, that match a fetch request's predicate; see
    /// `NSPersistentHistoryTransaction.fetchRequest`.
    open class func fetchHistory(
        withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
    ) -> Self {
        let made = make(.matching)
        made.fetchRequest = fetchRequest
        return made
    }

    /// Deletes the history before a token; nil deletes nothing.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
        let made = make(.before(token))
        made.resultType = .statusOnly
        return made
    }

    /// Deletes the history before a transaction, which is kept; nil deletes nothing.
    open class func deleteHistory(
        before transaction: NSPersistentHistoryTransaction?
    ) -> Self { deleteHistory(before: transaction?.token) }

    /// Deletes the history written before a date.
    open class func deleteHistory(before date: Date) -> Self {
        let made = make(.beforeDate(date))
        made.resultType = .statusOnly
        return made
    }

    /// The filter of transactions or changes; nil for the complete range.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    /// The kind of the result, such as a count, object ids, or transactions with their changes.
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges

    /// The token that the request was created with.
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
