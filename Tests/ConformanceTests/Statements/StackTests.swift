import CoreData
import Testing

@Suite struct StackTests {
    // Proves S5-9
    @Test func `several root contexts run at the same time, each on a connection`() throws {
        let office = try Office()
        let id = try office.hire("0")
        var readers: [NSManagedObjectContext] = []
        for number in 1...3 {
            let reader = office.context()
            try reader.on {
                try reader.setQueryGenerationFrom(.current)
                #expect(try reader.people().count == 1)
            }
            readers.append(reader)
            try office.change(id, "name", "\(number)")
        }
        // Each reader is pinned to its generation, although other contexts have written since.
        for (number, reader) in readers.enumerated() {
            #expect(try reader.on { try reader.people("name == '\(number)'").count } == 1)
        }
        #expect(try office.work { try $0.people("name == '3'").count } == 1)
    }

    // Proves S2.8-5
    @Test func `a batched array on a pinned context keeps reading its generation`() throws {
        let office = try Office()
        let ids = try (0..<6).map { try office.hire("\($0)") }
        let context = office.context()
        try context.on {
            try context.setQueryGenerationFrom(.current)
            let people = try context.people { $0.fetchBatchSize = 2 }
            #expect(people[0].name == "0")
            try office.change(ids[5], "name", "changed")
            #expect(people[5].isFault && people[5].name == "5")
            try context.setQueryGenerationFrom(nil)
            context.refreshAllObjects()
            #expect(people[5].name == "changed")
        }
    }

    // Proves S4.4-2
    @Test func `a context that is pinned to an earlier generation does not merge automatically`()
        throws
    {
        let office = try Office()
        let id = try office.hire("Ada")
        let holder = office.context()
        let token = try holder.on {
            try holder.setQueryGenerationFrom(.current)
            _ = try holder.people()
            return try #require(holder.queryGenerationToken)
        }
        let context = office.context()
        context.automaticallyMergesChangesFromParent = true
        let person = try context.on {
            try context.setQueryGenerationFrom(token)
            return try context.known(id)
        }
        try context.on { #expect(person.name == "Ada") }
        try office.change(id, "name", "Grace")
        // `performAndWait` runs after the blocks that are already in the queue.
        try context.on {
            #expect(person.name == "Ada")
            #expect(context.queryGenerationToken == token)
            try context.setQueryGenerationFrom(nil)
        }
        try office.change(id, "name", "Edsger")
        try context.on { #expect(person.name == "Edsger") }
    }

    // Proves S1.5-17
    @Test func `a save request without objects writes only metadata`() throws {
        let office = try Office()
        try office.hire("Ada")
        let coordinator = office.coordinator
        let store = try #require(coordinator.persistentStores.first)
        var metadata = coordinator.metadata(for: store)
        metadata["colour"] = "red"
        coordinator.setMetadata(metadata, for: store)
        try office.work { context in
            _ = context.person("pending")
            let request = NSSaveChangesRequest(
                inserted: nil, updated: nil, deleted: nil, locked: nil)
            _ = try coordinator.execute(request, with: context)
            #expect(context.hasChanges)
        }
        let twin = try office.twin()
        let again = try #require(twin.persistentStoreCoordinator.persistentStores.first)
        #expect(again.metadata["colour"] as? String == "red")
        let context = twin.newBackgroundContext()
        #expect(try context.on { try context.people().map(\.name) } == ["Ada"])
    }

    // Proves S3.7-4
    @Test(arguments: [NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType])
    func `stores outside SQLite load a model with constraints and save equal values`(
        type: String
    ) throws {
        let country = Company.plain("Country", [attribute("name", .stringAttributeType)])
        country.uniquenessConstraints = [["name"]]
        let office = try Office(model(country))
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: office.container.managedObjectModel)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil,
            at: office.folder.appendingPathComponent("store.\(type)"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for _ in 0..<2 {
                let country = NSEntityDescription.insertNewObject(
                    forEntityName: "Country", into: context)
                country.setValue("Chad", forKey: "name")
            }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Country")
            #expect(try context.count(for: request) == 2)
        }
    }

    // Proves S1.8-7
    @Test func `no notification announces that stores will change`() throws {
        let office = try Office()
        let coordinator = office.coordinator
        // Unsafe is correct because notifications are posted on the thread of this test.
        nonisolated(unsafe) var count = 0
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorStoresWillChange, object: coordinator, queue: nil
        ) { _ in count += 1 }
        defer { NotificationCenter.default.removeObserver(token) }
        let store = try #require(coordinator.persistentStores.first)
        try coordinator.remove(store)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store.url)
        #expect(count == 0)
    }

    // Proves S2.3-7
    @Test func `batch requests, and other users of the file, do not change the row cache`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        // The row cache keeps a row as long as an object uses it.
        let holder = office.context()
        let held = try holder.on { try holder.known(id) }
        func cached() throws -> String? {
            try office.work { ($0.object(with: id) as? Person)?.name }
        }
        let request = NSBatchUpdateRequest(entityName: "Person")
        request.propertiesToUpdate = ["name": "by a batch"]
        _ = try office.work { try $0.execute(request) }
        #expect(try cached() == "Ada")
        let twin = try office.twin()
        let other = twin.newBackgroundContext()
        try other.on {
            try other.people()[0].setValue("by another", forKey: "name")
            try other.save()
        }
        #expect(try cached() == "Ada")
        try holder.on { #expect(held.name == "Ada") }
        #expect(try office.work { try $0.people()[0].name } == "by another")
    }

    // Proves S3.5-7
    @Test func `saving a change of a row that a batch deleted is a conflict`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        let context = office.context()
        let person = try context.on { try context.known(id) }
        let request = NSBatchDeleteRequest(objectIDs: [id])
        _ = try office.work { try $0.execute(request) }
        try context.on {
            person.name = "Grace"
            let error = try #require(context.saveError())
            #expect(error.domain == NSCocoaErrorDomain && error.code == 133_020)
            #expect(person.name == "Grace" && person.isUpdated)
        }
    }

    // Proves S2.5-10
    @Test func `properties are fetched by names and descriptions, objects have no expressions`()
        throws
    {
        let office = try Office()
        try office.hire("Ada")
        let person = try #require(office.container.managedObjectModel.entitiesByName["Person"])
        let age = try #require(person.propertiesByName["age"])
        let length = NSExpressionDescription()
        length.name = "doubled"
        length.expression = NSExpression(format: "age * 2")
        length.expressionResultType = .integer64AttributeType
        try office.work { context in
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name", age, length]
            let found = try context.fetch(request)
            let expected: NSDictionary = ["name": "Ada", "age": 18, "doubled": 36]
            #expect(found == [expected])
            let names = try context.people { $0.propertiesToFetch = ["name", age] }.map(\.name)
            #expect(names == ["Ada"])
            let error = #expect(throws: NSError.self) {
                try context.people { $0.propertiesToFetch = ["name", length] }
            }
            #expect(error?.code == 134_060)
            #expect(error?.localizedDescription.contains("propertiesToFetch") == true)
        }
    }
}
