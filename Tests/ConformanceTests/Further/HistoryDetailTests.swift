import CoreData
import Testing

/// Further conformance tests for sections 12 and 13: persistent history and batch requests.
@MainActor struct HistoryDetailTests {
    private let shop: Bookshop

    init() throws { shop = try Bookshop(options: Bookshop.tracking) }

    private func result(_ request: NSPersistentHistoryChangeRequest) throws -> Any? {
        (try shop.context.execute(request) as? NSPersistentHistoryResult)?.result
    }

    private func transactions(
        _ request: NSPersistentHistoryChangeRequest
    ) throws -> [NSPersistentHistoryTransaction] {
        try #require(try result(request) as? [NSPersistentHistoryTransaction])
    }

    private var all: NSPersistentHistoryChangeRequest {
        .fetchHistory(after: nil as NSPersistentHistoryToken?)
    }

    private func save(_ names: String...) throws {
        for name in names {
            shop.add("Author", ["name": name])
            try shop.context.save()
        }
    }

    // MARK: History

    // Proves S12-18
    @Test func `history after a date leaves out what was before`() throws {
        try save("1", "2")
        let made = try transactions(all)
        let before = made[0].timestamp.addingTimeInterval(-1)
        #expect(try transactions(.fetchHistory(after: before)).count == 2)
        let later = made[1].timestamp.addingTimeInterval(1)
        #expect(try transactions(.fetchHistory(after: later)).isEmpty)
    }

    // Proves S12-19
    @Test func `a transaction is a bound that is left out of what is read and of what is deleted`()
        throws
    {
        try save("1", "2", "3")
        let made = try transactions(all)
        let numbers = made.map(\.transactionNumber)
        let later = try transactions(.fetchHistory(after: made[0]))
        #expect(later.map(\.transactionNumber) == Array(numbers.dropFirst()))
        try shop.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: made[1]))
        #expect(try transactions(all).map(\.transactionNumber) == Array(numbers.dropFirst()))
    }

    // Proves S12-20
    @Test func `a history request gives what its type says`() throws {
        let author = shop.add("Author", ["name": "1"])
        try shop.context.save()
        author.setValue("2", forKey: "name")
        shop.add("Author", ["name": "3"])
        try shop.context.save()
        func read(_ type: NSPersistentHistoryResultType) throws -> Any? {
            let request = all
            request.resultType = type
            return try result(request)
        }
        #expect(try read(.count) as? Int == 2)
        let ids = try #require(try read(.objectIDs) as? [NSManagedObjectID])
        #expect(Set(ids).contains(author.objectID) && Set(ids).count == 2)
        let bare = try #require(try read(.transactionsOnly) as? [NSPersistentHistoryTransaction])
        #expect(bare.count == 2 && bare.allSatisfy { $0.changes == nil })
        let changes = try #require(try read(.changesOnly) as? [NSPersistentHistoryChange])
        #expect(changes.count == 3)
    }

    // Proves S12-21
    @Test func `a change knows its transaction`() throws {
        shop.context.transactionAuthor = "me"
        try save("1")
        let transaction = try #require(try transactions(all).first)
        let change = try #require(transaction.changes?.first)
        #expect(change.transaction?.transactionNumber == transaction.transactionNumber)
        #expect(change.transaction?.author == "me")
    }

    // Proves S12-22
    @Test func `a deletion of history gives a status`() throws {
        try save("1")
        let date = Date(timeIntervalSinceNow: 60)
        let status = try result(.deleteHistory(before: date))
        #expect(status as? Bool == true)
        #expect(try transactions(all).isEmpty)
    }

    // MARK: Batch requests

    // Proves S13-22
    @Test func `an insertion fills an object until its handler says stop`() throws {
        var count = 0
        let request = NSBatchInsertRequest(
            entityName: "Author",
            managedObjectHandler: { object in
                guard count < 3 else { return true }
                object.setValue("n\(count)", forKey: "name")
                count += 1
                return false
            })
        request.resultType = .count
        let made = try shop.context.execute(request) as? NSBatchInsertResult
        #expect(made?.result as? Int == 3)
        let names = try shop.find("Author", by: "name").map { $0.text("name") }
        #expect(names == ["n0", "n1", "n2"])
        #expect(!shop.context.hasChanges)
    }

    // Proves S13-23
    @Test func `the ids of an update are merged into a context`() throws {
        let book = try shop.stock(["a"])[0]
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.propertiesToUpdate = ["title": "new"]
        request.resultType = .updatedObjectIDsResultType
        let made = try shop.context.execute(request) as? NSBatchUpdateResult
        let ids = try #require(made?.result as? [NSManagedObjectID])
        #expect(ids == [book.objectID] && book.text("title") == "a")
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [shop.context])
        #expect(book.text("title") == "new" && !shop.context.hasChanges)
    }

    // Proves S13-24
    @Test func `a deletion by ids deletes these only`() throws {
        let books = try shop.stock(["a", "b", "c"])
        let request = NSBatchDeleteRequest(objectIDs: [books[0].objectID, books[2].objectID])
        request.resultType = .resultTypeCount
        let made = try shop.context.execute(request) as? NSBatchDeleteResult
        #expect(made?.result as? Int == 2)
        shop.context.reset()
        #expect(try shop.find("Book").map { $0.text("title") } == ["b"])
    }

    // Proves S13-25
    @Test func `an update without a predicate changes all rows`() throws {
        _ = try shop.stock(["a", "b"])
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.propertiesToUpdate = ["price": 2.5]
        request.resultType = .updatedObjectsCountResultType
        let made = try shop.context.execute(request) as? NSBatchUpdateResult
        #expect(made?.result as? Int == 2)
        #expect(try shop.count("Book", "price == 2.5") == 2)
    }
}
