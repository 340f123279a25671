import CoreDataModel
import CoreDataPredicate
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

struct NSFetchRequestTests {
    // Proves S2.5-19
    @Test func `a new request has Core Data's defaults`() {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        #expect(request.entityName == "Book")
        #expect(request.requestType == .fetchRequestType)
        #expect(request.resultType == .managedObjectResultType)
        #expect(request.fetchLimit == 0 && request.fetchOffset == 0)
        #expect(request.fetchBatchSize == 0)
        #expect(request.includesSubentities && request.includesPendingChanges)
        #expect(request.includesPropertyValues && request.returnsObjectsAsFaults)
        #expect(!request.returnsDistinctResults && !request.shouldRefreshRefetchedObjects)
        #expect(throws: Never.self) { try request.options.checkSupported() }
    }

    @Test func `a request made by name knows its entity only after a context found it`() throws {
        var options = FetchRequestOptions(entityName: "Book")
        #expect(throws: CoreDataError.self) { try options.knownEntity() }
        let book = NSEntityDescription()
        book.name = "Book"
        options.entity = book
        #expect(try options.knownEntity() === book)

        let request = NSFetchRequest<NSDictionary>()
        #expect(request.entity == nil && request.entityName == nil)
        request.entity = book
        #expect(request.entity === book && request.entityName == "Book")
    }

    @Test func `a copy can be changed without touching the request`() throws {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.fetchLimit = 5
        let copy = try #require(request.copy() as? NSFetchRequest<any NSFetchRequestResult>)
        copy.fetchLimit = 7
        #expect(request.fetchLimit == 5 && copy.entityName == "Book")
    }

    @Test func `a request of any result type is seen through its base class`() {
        let request: NSPersistentStoreRequest = NSFetchRequest<NSNumber>(entityName: "Book")
        #expect((request as? any FetchRequestHolder)?.options.entityName == "Book")
    }

    @Test func `a result type that cannot be fetched is refused with the one to use instead`() {
        func message(_ change: (inout FetchRequestOptions) -> Void) -> String? {
            var options = FetchRequestOptions(entityName: "Book")
            change(&options)
            do { try options.checkSupported() } catch {
                #expect(error.code == .unsupported || error.code == .invalidArgument)
                return error.message
            }
            return nil
        }
        #expect(message { $0.resultType = .managedObjectIDResultType } == nil)
        #expect(message { $0.resultType = .countResultType } == nil)
        #expect(message { $0.resultType = .dictionaryResultType } == nil)
        #expect(message { $0.resultType = [.countResultType, .dictionaryResultType] } != nil)
        #expect(message { $0.propertiesToGroupBy = ["a"] }?.hasPrefix("propertiesToG") == true)
        #expect(message { $0.havingPredicate = NSPredicate(value: true) }?.hasPrefix("hav") == true)
        #expect(
            message { $0.fetchBatchSize = -1 }
                == "fetchBatchSize of a fetch request is -1; use 0 for none, or a positive number")
    }
}
