import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataStore
import CoreDataTrace
import TestSupport
import Testing

/// Tests of the records and requests of the persistent history, and of its cost while it is off.
@Suite struct HistoryTests {
    private func coordinator(
        at url: URL? = nil, tracks: Any? = true, posts: Bool = false
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.makeModel())
        var options: [AnyHashable: Any] = [:]
        options[NSPersistentHistoryTrackingKey] = tracks
        if posts { options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = true }
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        return coordinator
    }

    private func context(
        _ coordinator: NSPersistentStoreCoordinator, author: String? = nil, name: String? = nil
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.transactionAuthor = author
        context.name = name
        return context
    }

    private func run<T>(
        _ request: NSPersistentHistoryChangeRequest, in context: NSManagedObjectContext,
        as type: T.Type = T.self
    ) throws -> T {
        try context.performAndWait {
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return try #require(result?.result as? T)
        }
    }

    private func history(
        _ context: NSManagedObjectContext, after token: NSPersistentHistoryToken? = nil
    ) throws -> [NSPersistentHistoryTransaction] {
        try run(.fetchHistory(after: token), in: context)
    }

    /// Saves an insert, an update and a deletion, one after another.
    private func fill(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            let book = Book(context: context)
            book.title = "a"
            try context.save()
            book.title = "b"
            book.year = 7
            try context.save()
            context.delete(book)
            try context.save()
        }
    }

    @Test func `each save is a transaction with its author, context and changes`() throws {
        let context = context(try coordinator(), author: "app", name: "editor")
        try fill(context)
        let found = try history(context)
        #expect(found.map(\.transactionNumber) == [1, 2, 3])
        #expect(found.allSatisfy { $0.author == "app" && $0.contextName == "editor" })
        #expect(found.allSatisfy { !$0.processID.isEmpty && !$0.bundleID.isEmpty })
        #expect(Set(found.map(\.storeID)).count == 1)
        #expect(abs(found[0].timestamp.timeIntervalSinceNow) < 3_600)
        let changes = found.compactMap(\.changes)
        #expect(changes.map { $0.map(\.changeType) } == [[.insert], [.update], [.delete]])
        #expect(changes[0][0].changedObjectID.entity.name == "Book")
        #expect(changes[0][0].updatedProperties == nil)
        #expect(changes[1][0].updatedProperties.map { Set($0.map(\.name)) } == ["title", "year"])
        #expect(changes[1][0].transaction === found[1])
        #expect(changes[2][0].tombstone == nil)
    }

    @Test func `the file holds Core Data's tables, numbers and bitmaps`() throws {
        let stack = try coordinator()
        try fill(context(stack, author: "app"))
        let store = try #require(stack.persistentStores.first?.backend as? SQLiteStore)
        let connection = try Connection(.memory)
        try connection.replace(with: try store.makeImage())
        func text(_ sql: String) throws -> String? { try connection.firstText(sql) }
        let strings = try #require(try text("SELECT MAX(Z_PK) FROM ATRANSACTIONSTRING"))
        #expect(
            try text(
                "SELECT group_concat(Z_ENT || ':' || Z_NAME || ':' || Z_MAX) FROM "
                    + "Z_PRIMARYKEY WHERE Z_ENT > 16000") == "16001:CHANGE:3,16002:TRANSACTION:3,"
                + "16003:TRANSACTIONSTRING:\(strings)")
        // The three highest bits represent author, title and year. Title and year are set.
        #expect(try text("SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1") == "60")
        #expect(try text("SELECT COUNT(*) FROM ACHANGE WHERE ZCOLUMNS IS NULL") == "2")
        #expect(try text("SELECT ZENTITY || ZENTITYPK || Z_ENT FROM ACHANGE") == "2116001")
        #expect(
            try text(
                "SELECT ZNAME FROM ATRANSACTIONSTRING JOIN ATRANSACTION t ON "
                    + "ATRANSACTIONSTRING.Z_PK = t.ZAUTHORTS WHERE t.ZAUTHOR IS NULL") == "app")
    }

    @Test func `a request starts after a token, a transaction or a date`() throws {
        let stack = try coordinator()
        let context = context(stack)
        #expect(stack.currentPersistentHistoryToken(fromStores: nil)?.numbers.values.first == 0)
        try fill(context)
        let all = try history(context)
        let token = try #require(stack.currentPersistentHistoryToken(fromStores: []))
        #expect(token == all[2].token)
        #expect(try history(context, after: token).isEmpty)
        #expect(try history(context, after: all[0].token).map(\.transactionNumber) == [2, 3])
        let later: [NSPersistentHistoryTransaction] = try run(
            .fetchHistory(after: all[1]), in: context)
        #expect(later.map(\.transactionNumber) == [3])
        let past: [NSPersistentHistoryTransaction] = try run(
            .fetchHistory(after: Date.distantPast), in: context)
        #expect(past.count == 3)
        let future: [NSPersistentHistoryTransaction] = try run(
            .fetchHistory(after: Date.distantFuture), in: context)
        #expect(future.isEmpty)
    }

    @Test func `a token survives archiving`() throws {
        let token = NSPersistentHistoryToken(numbers: ["A": 3, "B": 4])
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: token, requiringSecureCoding: true)
        let back = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSPersistentHistoryToken.self, from: data)
        #expect(back == token)
        #expect("\(token)".contains("\"A\" = 3; "))
    }

    @Test func `result types return ids, numbers and changes`() throws {
        let context = context(try coordinator())
        try fill(context)
        func result<T>(_ type: NSPersistentHistoryResultType, as: T.Type = T.self) throws -> T {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(
                after: NSPersistentHistoryToken?.none)
            request.resultType = type
            return try run(request, in: context)
        }
        #expect(try result(.count) as Int == 3)
        #expect(try result(.statusOnly) as Bool)
        #expect(try (result(.objectIDs) as [NSManagedObjectID]).count == 3)
        #expect(
            try (result(.changesOnly) as [NSPersistentHistoryChange]).map(\.changeID) == [1, 2, 3])
        let plain: [NSPersistentHistoryTransaction] = try result(.transactionsOnly)
        #expect(plain.count == 3 && plain.allSatisfy { $0.changes == nil })
    }

    @Test func `a fetch request filters transactions or changes`() throws {
        let stack = try coordinator()
        try fill(context(stack, author: "app"))
        try fill(context(stack, author: "sync"))
        let context = context(stack)
        let byAuthor = try #require(NSPersistentHistoryTransaction.fetchRequest)
        byAuthor.predicate = NSPredicate(format: "author != 'app' AND token > 4")
        let found: [NSPersistentHistoryTransaction] = try run(
            .fetchHistory(withFetch: byAuthor), in: context)
        #expect(found.map(\.transactionNumber) == [5, 6])
        let deletions = try #require(NSPersistentHistoryChange.fetchRequest)
        deletions.predicate = NSPredicate(
            format: "changeType = %d", NSPersistentHistoryChangeType.delete.rawValue)
        let deleted: [NSPersistentHistoryTransaction] = try run(
            .fetchHistory(withFetch: deletions), in: context)
        #expect(deleted.map(\.transactionNumber) == [3, 6])
        let unsigned = try #require(NSPersistentHistoryTransaction.fetchRequest)
        try fill(context)
        unsigned.predicate = NSPredicate(format: "author = nil")
        let anonymous: [NSPersistentHistoryTransaction] = try run(
            .fetchHistory(withFetch: unsigned), in: context)
        #expect(anonymous.map(\.transactionNumber) == [7, 8, 9])
        unsigned.predicate = NSPredicate(format: "author BEGINSWITH 'a' OR contextName != nil")
        let named: [NSPersistentHistoryTransaction] = try run(
            .fetchHistory(withFetch: unsigned), in: context)
        #expect(named.map(\.transactionNumber) == [1, 2, 3])
        deletions.sortDescriptors = [NSSortDescriptor(key: "changeID", ascending: true)]
        #expect(throws: (any Error).self) {
            try run(.fetchHistory(withFetch: deletions), in: context, as: [Any].self)
        }
    }

    @Test func `history is deleted before a transaction, and a token of that part is expired`()
        throws
    {
        let context = context(try coordinator())
        try fill(context)
        let all = try history(context)
        #expect(try run(.deleteHistory(before: all[0]), in: context) as Bool)
        #expect(try history(context).count == 3)
        #expect(try run(.deleteHistory(before: all[2]), in: context) as Bool)
        #expect(try history(context).map(\.transactionNumber) == [3])
        #expect(try history(context, after: all[1].token).count == 1)
        let error = #expect(throws: (any Error).self) {
            try history(context, after: all[0].token)
        }
        #expect((error as NSError?)?.code == 134_301)
        #expect(try run(.deleteHistory(before: Date.distantFuture), in: context) as Bool)
        #expect(try history(context).isEmpty)
    }

    @Test func `batch requests are recorded, cascades and cleared inverses among them`() throws {
        let context = context(try coordinator())
        let changes = try context.performAndWait {
            _ = try context.execute(
                NSBatchInsertRequest(entityName: "Author", objects: [["name": "Ada"]]))
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.propertiesToUpdate = ["name": "Bob"]
            _ = try context.execute(update)
            let author = try #require(
                try context.fetch(NSFetchRequest<Author>(entityName: "Author")).first)
            Book(context: context).author = author
            try context.save()
            _ = try context.execute(NSBatchDeleteRequest(objectIDs: [author.objectID]))
            return try history(context).compactMap(\.changes)
        }
        #expect(changes.count == 4)
        #expect(changes[0].map(\.changeType) == [.insert])
        #expect(changes[1].first?.updatedProperties?.map(\.name) == ["name"])
        #expect(changes[3].map(\.changeType) == [.delete, .delete])
        #expect(changes[3].map(\.changedObjectID.entity.name) == ["Author", "Book"])
    }

    @Test func `preserved values are in the tombstone`() throws {
        let kept = GraphModels.text("code"), lost = GraphModels.text("name")
        kept.preservesValueInHistoryOnDeletion = true
        let model = GraphModels.model([GraphModels.entity("Thing", [kept, lost])])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: nil,
            options: [NSPersistentHistoryTrackingKey: true])
        let context = context(coordinator)
        let last = try context.performAndWait {
            let thing = NSManagedObject(
                entity: try #require(model.entitiesByName["Thing"]), insertInto: context)
            thing.setValue("x", forKey: "code")
            thing.setValue("y", forKey: "name")
            try context.save()
            context.delete(thing)
            try context.save()
            return try #require(try history(context).last)
        }
        #expect(last.changes?.first?.tombstone as? [String: String] == ["code": "x"])
    }

    @Test func `a transaction's notification names its ids`() throws {
        let context = context(try coordinator())
        try fill(context)
        let all = try history(context)
        let ids = all.map { $0.objectIDNotification().userInfo ?? [:] }
        #expect((ids[0][NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
        #expect((ids[1][NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
        #expect((ids[2][NSDeletedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
    }

    @Test func `without the key nothing is recorded and no additional statement runs`() throws {
        let stack = try coordinator(tracks: nil)
        let log = StatementLog()
        stack.trace.add(log)
        let context = context(stack)
        try fill(context)
        #expect(!log.texts.contains { $0.contains("ATRANSACTION") || $0.contains("ACHANGE") })
        #expect(stack.currentPersistentHistoryToken(fromStores: nil) == nil)
        #expect(try history(context).isEmpty)
    }

    @Test func `a file with a history is read-only without the key, and emptied by false`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("history-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Store.sqlite")
        func open(_ tracks: Any?) throws -> Result<Int, any Error> {
            let stack = try coordinator(at: url, tracks: tracks)
            defer { for store in stack.persistentStores { try? stack.remove(store) } }
            let context = context(stack)
            return Result {
                try fill(context)
                return try history(context).count
            }
        }
        #expect(try open(true).get() == 3)
        let error = #expect(throws: (any Error).self) { try open(nil).get() }
        #expect((error as NSError?)?.code == 513)
        #expect(try open(true).get() == 6)
        #expect(try open(false).get() == 0)
        #expect(try open(nil).get() == 0)
        #expect(try open(true).get() == 3)
    }

    @Test func `a pinned context keeps its rows through recorded saves and batches`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("pinned-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stack = try coordinator(at: folder.appendingPathComponent("Store.sqlite"))
        let writer = context(stack), reader = context(stack)
        func insert(_ title: String) throws {
            try writer.performAndWait {
                Book(context: writer).title = title
                try writer.save()
            }
        }
        func titles() throws -> [String] {
            try reader.performAndWait {
                let books = try reader.fetch(NSFetchRequest<Book>(entityName: "Book"))
                return books.compactMap(\.title).sorted()
            }
        }
        try insert("a")
        try reader.performAndWait { try reader.setQueryGenerationFrom(.current) }
        #expect(try titles() == ["a"])
        try insert("b")
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["title": "c"]
        try reader.performAndWait {
            let result = try reader.execute(update) as? NSBatchUpdateResult
            #expect(result?.result as? Bool == true)
        }
        #expect(try titles() == ["a"])
        #expect(try history(reader).map(\.transactionNumber) == [1, 2, 3])
        try reader.performAndWait {
            try reader.setQueryGenerationFrom(nil)
            reader.refreshAllObjects()
        }
        #expect(try titles() == ["c", "c"])
    }

    // Proves S1.8-9
    @Test func `every coordinator of a file that opted in is notified of a write`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("remote-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Store.sqlite")
        let writer = try coordinator(at: url, posts: true)
        let other = try coordinator(at: url, posts: true)
        let silent = try coordinator(at: url)
        // `nonisolated(unsafe)` is safe because notifications are posted on the saving thread,
        // which waits for them.
        nonisolated(unsafe) var told: [(ObjectIdentifier, [AnyHashable: Any])] = []
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: nil, queue: nil
        ) { note in
            guard let object = note.object as? NSPersistentStoreCoordinator,
                [writer, other, silent].contains(object)
            else { return }
            told.append((ObjectIdentifier(object), note.userInfo ?? [:]))
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let context = context(writer)
        try context.performAndWait {
            Book(context: context).title = "a"
            try context.save()
        }
        #expect(Set(told.map(\.0)) == [ObjectIdentifier(writer), ObjectIdentifier(other)])
        #expect(told.count == 2)
        #expect(
            told.allSatisfy {
                ($0.1[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken)?
                    .numbers.values.first == 1
            })
        #expect(told.allSatisfy { $0.1[NSPersistentStoreURLKey] as? URL == url })
        #expect(told.allSatisfy { $0.1[NSStoreUUIDKey] is String })
    }
}
