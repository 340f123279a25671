import CoreData
import Testing

@Suite(.serialized) struct IncrementalStoreTests {
    private let store: ShelfStore
    private let coordinator: NSPersistentStoreCoordinator

    init() throws { (store, coordinator) = try ShelfStore.stack(Company.makeModel()) }

    private func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func fill() throws {
        let context = context()
        try context.on {
            let (ada, grace) = (context.person("Ada"), context.person("Grace"))
            grace.boss = ada
            let team = context.new("Team", "Engines")
            for person in [ada, grace] { person.team = team }
            try context.save()
        }
        store.saves = []
    }

    private func named(_ name: String, in context: NSManagedObjectContext) throws -> Person {
        try #require(try context.people().first { $0.name == name })
    }

    // Proves S1.4-16
    @Test func `a reference object follows the p of the URI`() throws {
        try fill()
        let context = context()
        try context.on {
            let id = try named("Ada", in: context).objectID
            let host = try #require(store.identifier)
            #expect(id.uriRepresentation().absoluteString == "x-coredata://\(host)/Person/pAda")
            let entity = id.entity
            func text(_ reference: Any) -> String {
                store.newObjectID(for: entity, referenceObject: reference)
                    .uriRepresentation().absoluteString
            }
            #expect(text(42) == "x-coredata://\(host)/Person/p42")
            #expect(text("a b/c") == "x-coredata://\(host)/Person/pa%20b/c")
            let back = coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
            #expect(back == id && store.referenceObject(for: id) as? String == "Ada")
            // The store has no such row. The id keeps the escaped characters of the URI.
            let url = try #require(URL(string: "x-coredata://\(host)/Person/pno%20one"))
            let unknown = try #require(coordinator.managedObjectID(forURIRepresentation: url))
            #expect(store.referenceObject(for: unknown) as? String == "no%20one")
            #expect(throws: CocoaError.self) { try context.existingObject(with: unknown) }
        }
    }

    // Proves S1.5-2
    @Test func `a save without changes sends a request without objects`() throws {
        let context = context()
        try context.on { try context.save() }
        #expect(store.saves == [ShelfStore.Save()])
    }

    // Proves S1.5-10
    @Test func `one request carries new, changed, deleted and locked objects`() throws {
        try fill()
        let context = context()
        try context.on {
            for name in ["Kay", "Lou"] { _ = context.person(name) }
            try context.save()
            store.saves = []
            _ = context.person("Zoe")
            try named("Ada", in: context).setValue(40, forKey: "age")
            context.delete(try named("Kay", in: context))
            let lou = try named("Lou", in: context)
            context.detectConflicts(for: lou)
            try context.save()
            #expect(!context.hasChanges)
        }
        let save = ShelfStore.Save(
            inserted: ["Zoe"], updated: ["Ada"], deleted: ["Kay"], locked: ["Lou"])
        #expect(store.saves == [save])
        #expect(store.rows.keys.sorted() == ["Ada", "Engines", "Grace", "Lou", "Zoe"])
    }

    // Proves S2.3-4
    @Test func `the store is notified of objects that contexts register and release`() throws {
        try fill()
        #expect(store.registered.values.allSatisfy { $0 == 0 })
        let (first, second) = (context(), context())
        try first.on {
            let ada = try named("Ada", in: first)
            #expect(store.registered["Ada"] == 1)
            _ = try second.on { try named("Ada", in: second) }
            // The second context has already released the object.
            #expect(store.registered["Ada"] == 1)
            _ = ada.name
        }
        #expect(store.registered.values.allSatisfy { $0 == 0 })
        try first.on {
            let people = try first.people()
            #expect(store.registered["Ada"] == 1 && store.registered["Grace"] == 1)
            first.reset()
            #expect(store.registered["Ada"] == 0 && store.registered["Grace"] == 0)
            _ = people
        }
    }

    @Test func `the store supplies faults, relationships and all kinds of results`() throws {
        try fill()
        store.reads = []
        let context = context()
        try context.on {
            let request = NSFetchRequest<Person>(entityName: "Person")
            let people = try context.fetch(request)
            #expect(people.allSatisfy(\.isFault) && store.reads.isEmpty)
            #expect(people.map(\.name) == ["Ada", "Grace"])
            #expect(people[1].boss === people[0] && people[0].reports == [people[1]])
            let read = [
                "Ada", "Ada.boss", "Ada.team", "Grace", "Grace.boss", "Grace.team", "Ada.reports",
            ]
            #expect(store.reads == read)
            #expect(try context.count(for: request) == 2)
            request.predicate = NSPredicate(format: "name == 'Grace' AND boss == %@", people[0])
            #expect(try context.fetch(request) == [people[1]])
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
            ids.resultType = .managedObjectIDResultType
            #expect(try context.fetch(ids) == people.map(\.objectID))
            let names = NSFetchRequest<NSDictionary>(entityName: "Person")
            names.resultType = .dictionaryResultType
            let found = try context.fetch(names).compactMap { $0["name"] as? String }
            #expect(found == ["Ada", "Grace"])
            let asked: [NSFetchRequestResultType] = [
                [], .countResultType, [], .managedObjectIDResultType, .dictionaryResultType,
            ]
            #expect(store.fetches == asked)
            _ = context.person("New")
            #expect(try context.people().map(\.name) == ["Ada", "Grace", "New"])
        }
    }

    @Test func `a change outside of the context is a conflict`() throws {
        try fill()
        let context = context()
        try context.on {
            let ada = try named("Ada", in: context)
            ada.setValue(36, forKey: "age")
            try context.save()
            // A store may count versions in any steps, so the save of the context is not a
            // conflict.
            ada.setValue(37, forKey: "age")
            try context.save()
            context.refresh(ada, mergeChanges: false)
            #expect(ada.value(forKey: "age") as? Int == 37)
            store.rows["Ada"]?.values["age"] = 50
            store.rows["Ada"]?.version = 99
            ada.setValue(38, forKey: "age")
            #expect(context.saveError()?.code == NSManagedObjectMergeError)
            context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            try context.save()
            #expect(ada.value(forKey: "age") as? Int == 50)
        }
    }

    @Test func `two contexts of one coordinator conflict as with every store`() throws {
        try fill()
        let (first, second) = (context(), context())
        try first.on {
            let ada = try named("Ada", in: first)
            #expect(ada.name == "Ada")
            try second.on {
                try named("Ada", in: second).setValue(2, forKey: "age")
                try second.save()
            }
            ada.setValue(1, forKey: "age")
            #expect(first.saveError()?.code == NSManagedObjectMergeError)
        }
    }

    @Test func `a child works through its parent`() throws {
        try fill()
        let parent = context()
        let child = parent.child()
        try child.on {
            try named("Ada", in: child).setValue(5, forKey: "age")
            _ = child.person("Young")
            try child.save()
        }
        #expect(store.saves.isEmpty)
        try parent.on { try parent.save() }
        #expect(store.rows["Ada"]?.values["age"] as? Int == 5 && store.rows["Young"] != nil)
    }

    @Test func `the coordinator knows the class and notifies the store when added and removed`()
        throws
    {
        let types = NSPersistentStoreCoordinator.registeredStoreTypes
        var found: AnyClass?
        types[ShelfStore.storeType]?.getValue(&found)
        #expect(found == ShelfStore.self && types[NSSQLiteStoreType] != nil)
        #expect(store.type == ShelfStore.storeType && store.events == ["added"])
        #expect(coordinator.persistentStores.first === store)
        try coordinator.remove(store)
        #expect(store.events == ["added", "will remove"])
        #expect(store.persistentStoreCoordinator == nil)
        NSPersistentStoreCoordinator.registerStoreClass(nil, type: .init(rawValue: "Nowhere"))
        #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(
                ofType: "Nowhere", configurationName: nil, at: nil)
        }
    }

    @Test func `a read-only store is not written`() throws {
        let options = [NSReadOnlyPersistentStoreOption: true]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Company.makeModel())
        let added = try coordinator.addPersistentStore(
            ofType: ShelfStore.storeType, configurationName: nil, at: nil, options: options)
        #expect(added.isReadOnly)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.on {
            _ = context.person("Ada")
            #expect(context.saveError()?.code == CocoaError.fileWriteNoPermission.rawValue)
        }
    }
}
