import CoreData
import Testing

/// Behaviour of this engine that deviates from Core Data's.
@Suite struct DeviatingTests {
    @Test func `D-030 a default value is copied when the model is used`() throws {
        let text = NSMutableString(string: "default")
        let thing = Company.plain("Thing", [])
        thing.properties = [attribute("name", .stringAttributeType, default: text)]
        try Office(model(thing)).work { context in
            let first = context.new("Thing")
            text.append(" changed")
            #expect(first.value(forKey: "name") as? String == "default")
            #expect(context.new("Thing").value(forKey: "name") as? String == "default")
            try context.save()
        }
    }

    @MainActor @Test func `D-031 a turn of the run loop does not process changes`() throws {
        let office = try Office()
        let view = office.container.viewContext
        let posts = Received(.NSManagedObjectContextObjectsDidChange, of: view)
        _ = view.person("Ada")
        _ = RunLoop.main.run(mode: .default, before: Date())
        #expect(posts.count == 0)
        view.processPendingChanges()
        #expect(posts.count == 1)
    }

    @Test func `D-032 keys follow the order of insertion`() throws {
        try Office().work { context in
            let people = (0..<20).map { context.person("\($0)") }
            try context.save()
            #expect(
                people.map { $0.objectID.uriRepresentation().lastPathComponent }
                    == (1...20).map { "p\($0)" })
        }
    }

    @Test func `D-034 a refresh that drops the only changes leaves the context clean`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        try office.work { context in
            let person = try context.known(id)
            person.name = "Grace"
            context.refresh(person, mergeChanges: false)
            #expect(!context.hasChanges && context.updatedObjects.isEmpty && !person.hasChanges)
        }
    }

    @Test func `D-035 unchanged objects are released although others are pending`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        let context = office.context()
        weak var person: Person?
        try context.on {
            _ = context.person("pending")
            person = try context.known(id)
        }
        try context.on {
            #expect(context.hasChanges && person == nil)
            #expect(context.registeredObjects.count == 1)
        }
    }

    @Test func `D-036 aggregates may have any names`() throws {
        let office = try Office()
        try office.hire("Ada")
        try office.work { context in
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["größtes", "kleinstes·年"].map { name in
                let made = NSExpressionDescription()
                made.name = name
                made.expression = NSExpression(
                    forFunction: name.hasPrefix("g") ? "max:" : "min:",
                    arguments: [NSExpression(forKeyPath: "age")])
                made.expressionResultType = .integer64AttributeType
                return made
            }
            let found = try context.fetch(request)
            #expect((found.first?["größtes"] as? NSNumber)?.intValue == 18)
            #expect((found.first?["kleinstes·年"] as? NSNumber)?.intValue == 18)
        }
    }

    @Test func `D-004 a request for dictionaries that sets only the type throws`() throws {
        let office = try Office()
        try office.hire("Ada")
        try office.work { context in
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.code == 134_060)
            #expect(error?.localizedDescription.contains("NSDictionary") == true)
        }
    }

    @Test func `D-038 a store keeps the UUID with which it was created`() throws {
        let office = try Office()
        let store = try #require(office.coordinator.persistentStores.first)
        let uuid = try #require(store.identifier)
        store.metadata = [NSStoreUUIDKey: UUID().uuidString, "colour": "red"]
        #expect(store.identifier == uuid)
        #expect(store.metadata[NSStoreUUIDKey] as? String == uuid)
        #expect(store.metadata["colour"] as? String == "red")
        let person = try office.hire("Ada")
        #expect(person.uriRepresentation().host == uuid)
    }

    @Test func `D-039 requests continue during a coordinator's block`() throws {
        let office = try Office()
        try office.hire("Ada")
        let context = office.context()
        let fetched = DispatchSemaphore(value: 0)
        office.coordinator.performAndWait {
            context.perform {
                if (try? context.people())?.count == 1 { fetched.signal() }
            }
            fetched.wait()
        }
        #expect(try context.on { try context.people().count } == 1)
    }

    @Test func `D-037 a new object's snapshot in a constraint conflict is empty`() throws {
        let country = Company.plain("Country", [attribute("name", .stringAttributeType)])
        country.uniquenessConstraints = [["name"]]
        try Office(model(country)).work { context in
            for _ in 0..<2 { _ = context.new("Country", "n") }
            let error = try #require(context.saveError())
            let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
            let conflict = try #require((list as? [NSConstraintConflict])?.first)
            #expect(conflict.conflictingSnapshots.map(\.count) == [0, 0])
        }
    }
}
