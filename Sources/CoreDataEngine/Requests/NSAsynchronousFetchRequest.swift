import CoreDataModel
import CoreDataStore
import Foundation

/// The completion block of an asynchronous fetch, without the type of the results.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock =
    (NSAsynchronousFetchResult<any NSFetchRequestResult>) -> Void

/// A fetch that runs later on its context's queue and then calls a block.
///
/// `ResultType` has no constraint; see `NSFetchRequest` for the reason.
public final class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
    private let request: NSFetchRequest<ResultType>
    private let block: ((NSAsynchronousFetchResult<ResultType>) -> Void)?

    /// The expected number of results, for the progress; 0 if unknown.
    public var estimatedResultCount = 0

    /// Creates a request from a fetch request and a block, which is called on the context's queue.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        self.request = request
        block = blk
    }

    /// The request to fetch.
    public var fetchRequest: NSFetchRequest<ResultType> { request }

    /// The block that is called with the result.
    public var completionBlock: NSPersistentStoreAsynchronousFetchResultCompletionBlock? {
        guard let block else { return nil }
        return { result in block(NSAsynchronousFetchResult(result, request: self)) }
    }

    public override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    public override var affectedStores: [NSPersistentStore]? {
        get { request.affectedStores }
        set { request.affectedStores = newValue }
    }

    public override func copy(with zone: NSZone? = nil) -> Any {
        // Safe: the copy of a fetch request has the same type.
        let fetch = request.copy() as? NSFetchRequest<ResultType> ?? request
        let copy = NSAsynchronousFetchRequest(fetchRequest: fetch, completionBlock: block)
        copy.estimatedResultCount = estimatedResultCount
        return copy
    }

    fileprivate func complete(_ result: NSAsynchronousFetchResult<ResultType>) { block?(result) }
}

extension NSAsynchronousFetchRequest: ContextRequest {
    /// Puts the fetch on the context's queue and returns immediately.
    func run(in context: NSManagedObjectContext) throws(CoreDataError) -> NSPersistentStoreResult {
        let options = request.options
        try options.checkSupported()
        let result = NSAsynchronousFetchResult(
            request: self, context: context, estimatedCount: estimatedResultCount)
        // Safe: from here on, only the context's queue uses the result, the request and the
        // options. The caller is on that queue, so the result changes only between the caller's
        // blocks.
        nonisolated(unsafe) let (later, request, wanted) = (result, self, options)
        context.queue.enqueue("asynchronous fetch") {
            later.fetch(wanted)
            request.complete(later)
            later.managedObjectContext.processPendingChanges()
        }
        return result
    }
}

/// The result of an asynchronous fetch, which may still be running.
public final class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult {
    private let request: NSAsynchronousFetchRequest<ResultType>
    private var results: [ResultType]?

    init(
        request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext,
        estimatedCount: Int
    ) {
        self.request = request
        super.init(context: context, estimatedCount: estimatedCount)
    }

    convenience init(
        request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext,
        results: [ResultType]
    ) {
        self.init(request: request, context: context, estimatedCount: 0)
        self.results = results
        finish(nil, count: results.count)
    }

    convenience init(
        _ other: NSAsynchronousFetchResult<any NSFetchRequestResult>,
        request: NSAsynchronousFetchRequest<ResultType>
    ) {
        self.init(request: request, context: other.managedObjectContext, estimatedCount: 0)
        results = other.finalResult?.compactMap { $0 as? ResultType }
        finish((other.operationError).map { CoreDataError($0) }, count: results?.count ?? 0)
    }

    /// The request.
    public var fetchRequest: NSAsynchronousFetchRequest<ResultType> { request }

    /// The results; nil until the fetch has succeeded.
    public var finalResult: [ResultType]? { results }

    fileprivate func fetch(_ options: FetchRequestOptions) {
        do throws(CoreDataError) {
            try stopIfCancelled()
            let found: [ResultType] = try managedObjectContext.typedResults(options)
            try stopIfCancelled()
            results = found
            finish(nil, count: found.count)
        } catch {
            finish(error, count: 0)
        }
    }

    private func stopIfCancelled() throws(CoreDataError) {
        guard isCancelled else { return }
        throw CoreDataError(.userCancelled, "The fetch was cancelled.")
    }
}
