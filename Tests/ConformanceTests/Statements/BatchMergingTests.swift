import CoreData
import Testing

/// Batch requests, and merges of their changes into contexts.
@Suite struct BatchMergingTests {
    private func names(_ context: NSManagedObjectContext) throws -> [String] {
        let request = NSFetchRequest<Person>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request).compactMap(\.name)
    }

    private func age(_ person: Person) -> Int? {
        (person.value(forKey: "age") as? NSNumber)?.intValue
    }

    // Proves S4.3-1
    @Test func `a merged batch update shows its values, and unsaved edits stay`() throws {
        let office = try Office()
        let ids = try ["Ada", "Bob"].map(office.hire)
        let context = office.context()
        let people = try context.on { try ids.map(context.known) }
        let request = NSBatchUpdateRequest(entityName: "Person")
        request.propertiesToUpdate = ["age": 50]
        request.resultType = .updatedObjectIDsResultType
        try context.on {
            people[0].name = "Grace"
            #expect(people.map(age) == [18, 18])
            let result = try context.execute(request) as? NSBatchUpdateResult
            let updated = try #require(result?.result as? [NSManagedObjectID])
            #expect(Set(updated) == Set(ids))
            #expect(people.map(age) == [18, 18])
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectIDsKey: updated], into: [context])
            #expect(people.map(age) == [50, 50])
            #expect(people[0].name == "Grace" && people[0].isUpdated && !people[1].hasChanges)
            try context.save()
        }
        #expect(try office.work { try names($0) } == ["Bob", "Grace"])
        let ages = try office.work { try $0.people().map(age) }
        #expect(ages == [50, 50])
    }

    // Proves S4.3-1
    @Test func `a merged batch delete deletes the context's objects`() throws {
        let office = try Office()
        let ids = try ["Ada", "Bob"].map(office.hire)
        let context = office.context()
        let people = try context.on { try ids.map(context.known) }
        let request = NSBatchDeleteRequest(objectIDs: [ids[0]])
        request.resultType = .resultTypeObjectIDs
        try context.on {
            let posts = Received(.NSManagedObjectContextObjectsDidChange, of: context)
            let result = try context.execute(request) as? NSBatchDeleteResult
            let deleted = try #require(result?.result as? [NSManagedObjectID])
            #expect(people[0].name == "Ada" && posts.count == 0)
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectIDsKey: deleted], into: [context])
            #expect(posts.objects(NSDeletedObjectsKey) == [people[0]])
            #expect(context.registeredObject(for: ids[0]) == nil || people[0].isDeleted)
            #expect(try names(context) == ["Bob"])
            try context.save()
        }
    }

    // Proves S4.3-1, S4.3-2
    @Test func `a merged batch insert is posted in a parent and its child`() throws {
        let office = try Office()
        let parent = office.context()
        let child = parent.child()
        let request = NSBatchInsertRequest(
            entityName: "Person", objects: [["name": "Ada"], ["name": "Bob"]])
        request.resultType = .objectIDs
        let inserted = try parent.on {
            let result = try parent.execute(request) as? NSBatchInsertResult
            return try #require(result?.result as? [NSManagedObjectID])
        }
        let posts = Received(.NSManagedObjectContextObjectsDidChange, of: parent)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSInsertedObjectIDsKey: inserted], into: [child, parent])
        #expect(posts.objects(NSInsertedObjectsKey)?.count == 2)
        #expect(try parent.on { try names(parent) } == ["Ada", "Bob"])
        #expect(try child.on { try names(child) } == ["Ada", "Bob"])
        parent.performAndWait { #expect(!parent.hasChanges) }
    }

    @Test func `a transaction's notification merges the changes of a batch request`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("history-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = NSPersistentContainer(
            name: "Office", managedObjectModel: Company.makeModel())
        let description = NSPersistentStoreDescription(
            url: folder.appendingPathComponent("Office.sqlite"))
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let writer = container.newBackgroundContext()
        let reader = container.newBackgroundContext()
        let id = try writer.on {
            let person = writer.person("Ada")
            try writer.save()
            return person.objectID
        }
        let person = try reader.on { try reader.known(id) }
        let token = container.persistentStoreCoordinator.currentPersistentHistoryToken(
            fromStores: nil)
        try writer.on {
            let request = NSBatchUpdateRequest(entityName: "Person")
            request.propertiesToUpdate = ["name": "Grace"]
            _ = try writer.execute(request)
        }
        try reader.on {
            #expect(person.name == "Ada")
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try reader.execute(request) as? NSPersistentHistoryResult
            let history = try #require(result?.result as? [NSPersistentHistoryTransaction])
            #expect(history.count == 1)
            for transaction in history {
                reader.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
            }
            #expect(person.name == "Grace" && !reader.hasChanges)
        }
    }
}
