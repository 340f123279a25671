import CoreData
import Testing

@Suite(.serialized) struct AtomicStoreTests {
    private let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("atomic-\(UUID().uuidString).text")

    private func stack(
        options: [AnyHashable: Any]? = nil
    ) throws -> (store: TextStore, coordinator: NSPersistentStoreCoordinator) {
        try TextStore.stack(Company.makeModel(), file, options: options)
    }

    private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Ada has a tag. Her report Grace is an employee. Both are in the team "Engines".
    private func fill(_ coordinator: NSPersistentStoreCoordinator) throws {
        let context = context(coordinator)
        try context.on {
            let ada = context.person("Ada")
            let grace = Employee(context: context)
            grace.name = "Grace"
            grace.setValue(1.5, forKey: "salary")
            grace.boss = ada
            let team = context.new("Team", "Engines")
            for person in [ada, grace] { person.team = team }
            context.new("Tag", "first").mutableSetValue(forKey: "people").add(ada)
            try context.save()
        }
    }

    private func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    private func removeFile() { try? FileManager.default.removeItem(at: file) }

    @Test func `saved objects of an atomic store exist when it is added again`() throws {
        defer { removeFile() }
        let (store, coordinator) = try stack()
        try fill(coordinator)
        #expect(store.savesCount == 1 && store.cacheNodes().count == 4)
        let written = try text()
        #expect(written.contains("\"name\":\"Grace\"") && written.contains("\"salary\":1.5"))

        let (again, other) = try stack()
        #expect(again.identifier == store.identifier && again.cacheNodes().count == 4)
        let context = context(other)
        try context.on {
            let people = try context.people()
            #expect(people.map(\.name) == ["Ada", "Grace"])
            let (ada, grace) = (people[0], people[1])
            #expect(grace is Employee && grace.value(forKey: "salary") as? Double == 1.5)
            #expect(grace.boss === ada && ada.reports == [grace])
            #expect(ada.team === grace.team && ada.team?.value(forKey: "name") as? String != nil)
            #expect((ada.team?.value(forKey: "members") as? Set<Person>) == [ada, grace])
            let tag = try #require((ada.value(forKey: "tags") as? Set<NSManagedObject>)?.first)
            #expect((tag.value(forKey: "people") as? Set<Person>) == [ada])
            let url = ada.objectID.uriRepresentation()
            #expect(url.lastPathComponent.hasPrefix("pPerson"))
            #expect(other.managedObjectID(forURIRepresentation: url) == ada.objectID)
        }
    }

    @Test func `fetches of an atomic store are evaluated in memory`() throws {
        defer { removeFile() }
        let (_, coordinator) = try stack()
        try fill(coordinator)
        let context = context(coordinator)
        try context.on {
            #expect(try context.people("boss.name == 'Ada'").map(\.name) == ["Grace"])
            #expect(try context.people("ANY tags.name == 'first'").map(\.name) == ["Ada"])
            #expect(
                try context.people("team.members.@count == 2") { $0.fetchOffset = 1 }.count == 1)
            #expect(try context.people { $0.fetchLimit = 1 }.map(\.name) == ["Ada"])
            #expect(try context.count(for: NSFetchRequest<Person>(entityName: "Employee")) == 1)
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name", "age"]
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            let rows = try context.fetch(request)
            #expect(rows.map { $0["name"] as? String } == ["Grace", "Ada"])
            #expect(rows.first?["age"] as? Int == 18)
        }
    }

    @Test func `updates and deletions are applied to the nodes of an atomic store`() throws {
        defer { removeFile() }
        let (store, coordinator) = try stack()
        try fill(coordinator)
        let context = context(coordinator)
        try context.on {
            let people = try context.people()
            let (ada, grace) = (people[0], people[1])
            grace.name = "  Grace H. "
            grace.boss = nil
            ada.mutableSetValue(forKey: "tags").removeAllObjects()
            try context.save()
            let node = try #require(store.cacheNode(for: grace.objectID))
            #expect(node.value(forKey: "name") as? String == "Grace H.")
            #expect(node.value(forKey: "boss") == nil)
            // The store has changed the value of the node. The fetch reads the node.
            #expect(try context.people("name == 'Grace H.'") == [grace])
            let reference = "\(store.referenceObject(for: ada.objectID))"
            context.delete(ada)
            try context.save()
            #expect(store.removed == [reference] && store.cacheNode(for: ada.objectID) == nil)
        }
        #expect(try !text().contains("Ada"))
        let (again, other) = try stack()
        let fresh = self.context(other)
        try fresh.on {
            let people = try fresh.people()
            #expect(people.map(\.name) == ["Grace H."] && people[0].boss == nil)
            #expect((people[0].team?.value(forKey: "members") as? Set<Person>)?.count == 1)
        }
        #expect(again.cacheNodes().count == 3)
    }

    @Test func `two contexts on an atomic store conflict`() throws {
        defer { removeFile() }
        let (store, coordinator) = try stack()
        try fill(coordinator)
        let (first, second) = (context(coordinator), context(coordinator))
        let other = try second.on { try #require(try second.people().first) }
        try second.on { other.name = "second" }
        try first.on {
            try #require(try first.people().first).setValue(40, forKey: "age")
            try first.save()
        }
        let saves = store.savesCount
        try second.on {
            let failure = #expect(throws: CocoaError.self) { try second.save() }
            #expect(failure?.code == .managedObjectMerge)
            #expect(store.savesCount == saves)
            second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try second.save()
            #expect(other.name == "second" && other.value(forKey: "age") as? Int == 40)
        }
        let node = try #require(store.cacheNode(for: other.objectID))
        #expect(node.value(forKey: "age") as? Int == 40)
    }

    @Test func `a save that an atomic store refuses leaves its nodes unchanged`() throws {
        defer { removeFile() }
        let (store, coordinator) = try stack()
        try fill(coordinator)
        let before = try text()
        let context = context(coordinator)
        try context.on {
            let people = try context.people()
            people[1].name = "changed"
            people[1].boss = nil
            context.delete(people[0])
            let new = context.person("new")
            store.refusal = .init(reason: "disk")
            let thrown = #expect(throws: TextStore.Refusal.self) { try context.save() }
            #expect(thrown == .init(reason: "disk") && context.hasChanges)
            #expect(store.cacheNodes().count == 4 && store.cacheNode(for: new.objectID) == nil)
            let names = store.cacheNodes().compactMap { $0.value(forKey: "name") as? String }
            #expect(Set(names) == ["Ada", "Grace", "Engines", "first"])
            #expect(try text() == before)
            store.refusal = nil
            try context.save()
            #expect(try context.people().map(\.name) == ["changed", "new"])
        }
        #expect(store.cacheNodes().count == 4)
    }

    @Test func `invalid nodes fail the adding of an atomic store`() throws {
        defer { removeFile() }
        func refused(_ line: String) throws -> String {
            try "{}\n\(line)".write(to: file, atomically: true, encoding: .utf8)
            do {
                _ = try stack()
                return "added"
            } catch { return "\((error as? CocoaError)?.userInfo["reason"] ?? error)" }
        }
        #expect(try refused("{\"id\":\"a\"}").contains("a line without entity and id"))
        #expect(try refused("no line of it") != "added")
        let wrong = "{\"entity\":\"Person\",\"id\":\"a1\",\"values\":{\"age\":\"old\"}}"
        #expect(try refused(wrong).contains("has a"))
        let loose = "{\"entity\":\"Person\",\"id\":\"a1\",\"values\":{\"team\":1}}"
        #expect(try refused(loose).contains("'team'"))
    }

    @Test func `a relationship that a node has on one side is set on both`() throws {
        defer { removeFile() }
        let lines = [
            "{}", "{\"entity\":\"Team\",\"id\":\"t1\",\"many\":{\"members\":[\"p2\"]}}",
            "{\"entity\":\"Person\",\"id\":\"p2\",\"values\":{\"name\":\"Ada\"}}",
            "{\"entity\":\"Person\",\"id\":\"p3\",\"one\":{\"boss\":\"p2\"}}",
        ]
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        let context = context(try stack().coordinator)
        try context.on {
            let ada = try #require(try context.people("name == 'Ada'").first)
            #expect(ada.team != nil && ada.reports.count == 1)
        }
    }

    @Test func `one reference object for two objects fails the save`() throws {
        defer { removeFile() }
        let (store, coordinator) = try stack()
        store.fixedReference = "same"
        let context = context(coordinator)
        try context.on {
            _ = (context.person("a"), context.person("b"))
            #expect(throws: CocoaError.self) { try context.save() }
        }
        #expect(store.cacheNodes().isEmpty && store.savesCount == 0)
    }

    @Test func `metadata of an atomic store are saved, and another model is refused`() throws {
        defer { removeFile() }
        let (store, coordinator) = try stack()
        coordinator.setMetadata(["note": "kept"], for: store)
        let context = context(coordinator)
        try context.on { try context.save() }
        #expect(store.savesCount == 1)
        #expect(try stack().store.metadata["note"] as? String == "kept")
        let changed = Company.makeModel()
        changed.entitiesByName["Team"]?.versionHashModifier = "other"
        let failure = #expect(throws: CocoaError.self) { try TextStore.stack(changed, file) }
        #expect(failure?.code == .persistentStoreIncompatibleVersionHash)
    }

    @Test func `an atomic store that is read-only refuses a save`() throws {
        defer { removeFile() }
        try fill(try stack().coordinator)
        let options = [NSReadOnlyPersistentStoreOption: NSNumber(value: true)]
        let context = context(try stack(options: options).coordinator)
        try context.on {
            try #require(try context.people().first).name = "x"
            let failure = #expect(throws: CocoaError.self) { try context.save() }
            #expect(failure?.code == .fileWriteNoPermission)
        }
    }

    @Test func `nodes that are added after loading are reported`() throws {
        defer { removeFile() }
        let (store, coordinator) = try stack()
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Team"])
        let log = StandardErrorLog()
        defer { log.stop() }
        let lines = log.lines {
            let id = store.objectID(for: entity, withReferenceObject: "late")
            store.addCacheNodes([NSAtomicStoreCacheNode(objectID: id)])
        }
        #expect(lines.contains { $0.contains("outside of load()") })
    }
}
