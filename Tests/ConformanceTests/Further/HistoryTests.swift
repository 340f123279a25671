import CoreData
import Synchronization
import TestSupport
import Testing

/// Conformance tests for section 12: persistent history.
@MainActor struct HistoryTests {
    private let shop: Bookshop

    init() throws { shop = try Bookshop(options: Bookshop.tracking) }

    private func transactions(
        _ request: NSPersistentHistoryChangeRequest, _ shop: Bookshop? = nil
    ) throws -> [NSPersistentHistoryTransaction] {
        let context = (shop ?? self.shop).context
        let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
        return try #require(result.result as? [NSPersistentHistoryTransaction])
    }

    private func after(_ token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        .fetchHistory(after: token)
    }

    private var token: NSPersistentHistoryToken? {
        shop.coordinator.currentPersistentHistoryToken(fromStores: nil)
    }

    @discardableResult
    private func save(_ name: String) throws -> NSManagedObject {
        let author = shop.add("Author", ["name": name])
        try shop.context.save()
        return author
    }

    // Proves S12-1, S12-2, S12-3
    @Test func `without a token all transactions are returned, with one the later ones`() throws {
        for name in ["1", "2"] { try save(name) }
        #expect(after(nil).resultType == .transactionsAndChanges)
        let all = try transactions(after(nil))
        #expect(all.map { $0.changes?.count } == [1, 1])
        #expect(all[0].transactionNumber < all[1].transactionNumber)
        let token = try #require(token)
        #expect(try transactions(after(token)).isEmpty)
        try save("3")
        #expect(try transactions(after(token)).count == 1)
        #expect(try transactions(after(all[0].token)).count == 2)
    }

    // Proves S12-4
    @Test func `a token spans the stores of its coordinator`() throws {
        let (first, second) = (Bookshop.plain("First", []), Bookshop.plain("Second", []))
        let both = model(first, second)
        both.setEntities([first], forConfigurationName: "one")
        both.setEntities([second], forConfigurationName: "two")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: both)
        let stores = try ["one", "two"].map { name in
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name,
                at: shop.folder.url.appendingPathComponent(name), options: Bookshop.tracking)
        }
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for name in ["First", "Second"] { shop.add(name, to: context) }
        try context.save()
        let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        shop.add("Second", to: context)
        try context.save()
        let result = try context.execute(after(token)) as? NSPersistentHistoryResult
        let later = result?.result as? [NSPersistentHistoryTransaction]
        let identifier: String = stores[1].identifier
        #expect(later?.map { "\($0.storeID)" } == [identifier])
    }

    // Proves S12-5, S12-6, S12-7
    @Test func `a change lists its properties, and a deletion its preserved values`() throws {
        let name = attribute("name", .stringAttributeType)
        name.preservesValueInHistoryOnDeletion = true
        let shop = try Bookshop(
            Bookshop.thing(name, attribute("other", .stringAttributeType)),
            options: Bookshop.tracking)
        shop.context.name = "editor"
        shop.context.transactionAuthor = "me"
        let thing = shop.add("Thing", ["name": "x", "other": "y"])
        try shop.context.save()
        thing.setValue("z", forKey: "other")
        try shop.context.save()
        let id = thing.objectID
        shop.context.delete(thing)
        try shop.context.save()
        let all = try transactions(after(nil), shop)
        let changes = all.compactMap { $0.changes?.first }
        #expect(changes.map(\.changeType) == [.insert, .update, .delete])
        #expect(changes.allSatisfy { $0.changedObjectID == id })
        #expect(changes[1].updatedProperties?.map(\.name) == ["other"])
        #expect(changes[0].updatedProperties == nil && changes[0].tombstone == nil)
        #expect(changes[2].tombstone?["name"] as? String == "x")
        #expect(changes[2].tombstone?["other"] == nil)
        #expect(all.allSatisfy { $0.author == "me" && $0.contextName == "editor" })
        #expect(all.allSatisfy { !$0.processID.isEmpty && !$0.bundleID.isEmpty })
        #expect(all[0].storeID == shop.coordinator.persistentStores[0].identifier)
    }

    // Proves S12-8
    @Test func `a token from before the deleted history has expired`() throws {
        try save("0")
        let old = try #require(token)
        for name in ["1", "2"] { try save(name) }
        let date = Date(timeIntervalSinceNow: 10)
        try shop.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: date))
        try save("3")
        let error = failure { _ = try transactions(after(old)) }
        #expect(error?.code == NSPersistentHistoryTokenExpiredError)
    }

    // Proves S12-9, S12-10
    @Test func `history can be filtered by author and by type of change`() throws {
        for author in ["x", "y"] {
            shop.context.transactionAuthor = author
            try save(author)
        }
        let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
        request.predicate = NSPredicate(format: "author != %@", "x")
        #expect(try transactions(.fetchHistory(withFetch: request)).map(\.author) == ["y"])
        let author = try shop.find("Author")[0]
        author.setValue("z", forKey: "name")
        try shop.context.save()
        let changes = try #require(NSPersistentHistoryChange.fetchRequest)
        let update = NSPersistentHistoryChangeType.update.rawValue
        changes.predicate = NSPredicate(format: "changeType == %d", update)
        let fetch = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: changes)
        fetch.resultType = .changesOnly
        let result = try shop.context.execute(fetch) as? NSPersistentHistoryResult
        let found = result?.result as? [NSPersistentHistoryChange]
        #expect(found?.map(\.changedObjectID) == [author.objectID])
    }

    // Proves S12-11
    @Test func `batch requests are recorded`() throws {
        let objects: [[String: Any]] = [["name": "1"], ["name": "2"]]
        try shop.context.execute(NSBatchInsertRequest(entityName: "Author", objects: objects))
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["name": "3"]
        try shop.context.execute(update)
        let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
        try shop.context.execute(NSBatchDeleteRequest(fetchRequest: all))
        let found = try transactions(after(nil))
        #expect(found.map { $0.changes?.count } == [2, 2, 2])
        #expect(found.map { $0.changes?.first?.changeType } == [.insert, .update, .delete])
        #expect(found[1].changes?.first?.updatedProperties?.map(\.name) == ["name"])
    }

    // Proves S12-12
    @Test func `a transaction's notification can be merged`() throws {
        let author = try save("1")
        let token = try #require(token)
        let other = shop.newContext()
        let same = try other.existingObject(with: author.objectID)
        #expect(same.text("name") == "1")
        author.setValue("2", forKey: "name")
        try shop.context.save()
        for transaction in try transactions(after(token)) {
            other.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
        }
        #expect(same.text("name") == "2")
    }

    // Proves S12-13
    @Test func `a remote change names the store, its file and a token`() async throws {
        var options = Bookshop.tracking
        options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = true as NSNumber
        let shop = try Bookshop(options: options)
        let identifier = shop.coordinator.persistentStores[0].identifier
        let told = Mutex<[String]?>(nil)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: nil, queue: nil
        ) { note in
            let info = note.userInfo
            guard let id = info?[NSStoreUUIDKey] as? String, id == identifier else { return }
            let hasToken = info?[NSPersistentHistoryTokenKey] is NSPersistentHistoryToken
            told.withLock { $0 = ["\(info?[NSPersistentStoreURLKey] is URL)", "\(hasToken)"] }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        shop.add("Author")
        try shop.context.save()
        for _ in 0..<100_000 where told.withLock({ $0 == nil }) { await Task.yield() }
        #expect(told.withLock { $0 } == ["true", "true"])
    }

    // Proves S12-14
    @Test func `a token is archived securely`() throws {
        try save("1")
        let token = try #require(token)
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: token, requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSPersistentHistoryToken.self, from: data)
        #expect(copy == token)
        #expect(try transactions(after(copy)).isEmpty)
    }

    // Proves S12-15, S12-16
    @Test func `without tracking there is no token, and turning it off deletes the history`() throws
    {
        let plain = try Bookshop()
        plain.add("Author")
        try plain.context.save()
        #expect(plain.coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
        try save("1")
        try shop.coordinator.remove(shop.coordinator.persistentStores[0])
        let off = [NSPersistentHistoryTrackingKey: false as NSNumber]
        let other = try Bookshop(shop.model, in: shop.folder, options: off)
        other.add("Author")
        try other.context.save()
        #expect(try other.sql("SELECT count(*) FROM ATRANSACTION") == ["0"])
    }

    // Proves S12-17
    @Test func `history can be deleted before a token`() throws {
        for name in ["1", "2"] { try save(name) }
        let middle = try transactions(after(nil))[1].token
        try save("3")
        try shop.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: middle))
        let left = try transactions(.fetchHistory(after: .distantPast))
        #expect(left.count < 3 && !left.isEmpty)
    }
}
