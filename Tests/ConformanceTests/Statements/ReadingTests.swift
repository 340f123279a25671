import CoreData
import Testing

/// Faults, caching, and the results of a fetch.
@Suite struct ReadingTests {
    // Proves S2.1-4
    @Test func `loaded relationships hold their objects until a refresh or a reset`() throws {
        for resets in [false, true] {
            let office = try Office()
            let id = try office.work { context in
                let boss = context.person("boss")
                context.person("report").boss = boss
                try context.save()
                return boss.objectID
            }
            let context = office.context()
            weak var boss: Person?
            weak var report: Person?
            try context.on {
                let found = try context.known(id)
                (boss, report) = (found, found.reports.first)
                #expect(report?.boss === found)
            }
            #expect(boss != nil && report != nil)
            try context.on {
                if resets {
                    context.reset()
                } else if let boss, let report {
                    context.refresh(boss, mergeChanges: false)
                    context.refresh(report, mergeChanges: false)
                }
                _ = try context.people()
            }
            try context.on { context.processPendingChanges() }
            #expect(boss == nil && report == nil)
        }
    }

    // Proves S2.2-8
    @Test func `an object whose row was deleted is deleted and not validated`() throws {
        let thing = Company.plain(
            "Thing", [attribute("name", .stringAttributeType, optional: false)])
        let office = try Office(model(thing))
        let id = try office.work { context in
            let thing = context.new("Thing", "t")
            try context.save()
            return thing.objectID
        }
        try office.work { context in
            #expect(context.shouldDeleteInaccessibleFaults)
            let fault = context.object(with: id)
            try office.work { other in
                other.delete(try other.existingObject(with: id))
                try other.save()
            }
            #expect(fault.value(forKey: "name") == nil && fault.isDeleted)
            #expect(context.deletedObjects == [fault])
            try context.save()
        }
    }

    /// Overrides `shouldHandleInaccessibleFault`.
    ///
    /// `@unchecked Sendable` because the queue of the context guards the list.
    private final class Deciding: NSManagedObjectContext, @unchecked Sendable {
        var asked: [String] = []

        override func shouldHandleInaccessibleFault(
            _ fault: NSManagedObject, for oid: NSManagedObjectID,
            triggeredByProperty property: NSPropertyDescription?
        ) -> Bool {
            asked.append(property?.name ?? "none")
            return true
        }
    }

    // Proves S2.2-10
    @Test func `a subclass decides about missing rows, except in throwing functions`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        try office.work { context in
            context.delete(try context.known(id))
            try context.save()
        }
        let context = Deciding(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = office.coordinator
        context.shouldDeleteInaccessibleFaults = false
        try context.on {
            #expect(throws: NSError.self) { try context.existingObject(with: id) }
            #expect(context.asked.isEmpty)
            let fault = try #require(context.object(with: id) as? Person)
            #expect(fault.name == nil && context.asked.count == 1 && fault.isDeleted)
        }
    }

    // Proves S2.4-3
    @Test func `a merging refresh keeps edits and transient values`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        try office.work { context in
            let person = try context.known(id)
            person.name = "mine"
            person.setValue("note", forKey: "note")
            try office.change(id, "age", 50)
            context.refresh(person, mergeChanges: true)
            #expect(person.name == "mine" && person.value(forKey: "age") as? Int == 50)
            #expect(person.value(forKey: "note") as? String == "note")
            try context.save()
        }
    }

    // Proves S2.5-1
    @Test func `subentities are found by default, pending ones too`() throws {
        try Office().work { context in
            for save in [true, false] {
                _ = context.person("p")
                _ = Employee(context: context)
                if save { try context.save() }
            }
            #expect(try context.people().count == 4)
            #expect(try context.people { $0.includesSubentities = false }.count == 2)
        }
    }

    // Proves S2.5-9
    @Test func `a result is objects, ids, dictionaries, or one number`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        try office.work { context in
            let people = try context.people()
            #expect(people.map(\.objectID) == [id])
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
            ids.resultType = .managedObjectIDResultType
            #expect(try context.fetch(ids) == [id])
            let rows = NSFetchRequest<NSDictionary>(entityName: "Person")
            rows.resultType = .dictionaryResultType
            #expect(try context.fetch(rows).map { $0["name"] as? String } == ["Ada"])
            let count = NSFetchRequest<NSNumber>(entityName: "Person")
            count.resultType = .countResultType
            #expect(try context.fetch(count).map(\.intValue) == [1])
        }
    }

    // Proves S2.5-12
    @Test func `distinct results do not affect objects`() throws {
        let office = try Office()
        for _ in 0..<2 { try office.hire("Ada") }
        try office.work { context in
            let people = try context.people { $0.returnsDistinctResults = true }
            #expect(people.count == 2)
            let rows = NSFetchRequest<NSDictionary>(entityName: "Person")
            rows.resultType = .dictionaryResultType
            rows.propertiesToFetch = ["name"]
            #expect(try context.fetch(rows).count == 2)
            rows.returnsDistinctResults = true
            #expect(try context.fetch(rows).count == 1)
        }
    }

    // Proves S2.5-15
    @Test func `a request made by name has its entity after its first use`() throws {
        try Office().work { context in
            let request = NSFetchRequest<Person>(entityName: "Person")
            _ = try context.fetch(request)
            #expect(request.entity?.name == "Person")
            let error = #expect(throws: NSError.self) {
                try context.fetch(NSFetchRequest<Person>(entityName: "Persona"))
            }
            #expect(error?.localizedDescription.contains("Persona") == true)
        }
    }

    // Proves S2.5-15, S17-2
    @Test func `reading its entity before that ends the process with a text`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = NSFetchRequest<Person>(entityName: "Person").entity }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("was created with a string name (Person)"))
    }

    // Proves S2.11-3
    @Test func `a count that fails throws`() throws {
        try Office().work { context in
            let request = NSFetchRequest<Person>(entityName: "Person")
            request.predicate = NSPredicate(format: "weight > 3")
            _ = #expect(throws: NSError.self) { try context.count(for: request) }
            try context.save()
        }
    }

    // Proves S17-6
    @Test func `an unknown key path is refused by name`() throws {
        try Office().work { context in
            for format in ["weight > 3", "team.colour == 'red'"] {
                let request = NSFetchRequest<Person>(entityName: "Person")
                request.predicate = NSPredicate(format: format)
                let error = #expect(throws: NSError.self) { try context.fetch(request) }
                let text = error?.localizedDescription ?? ""
                #expect(text.contains("keypath") && text.contains("not found in entity"))
                #expect(text.contains("weight") || text.contains("colour"))
            }
            try context.save()
        }
    }

    // Proves S17-5
    @Test func `a to-many key instead of a single value is refused`() throws {
        try Office().work { context in
            let request = NSFetchRequest<Person>(entityName: "Person")
            request.predicate = NSPredicate(format: "reports.name == 'x'")
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.localizedDescription.contains("to-many key not allowed here") == true)
            try context.save()
        }
    }

    // Proves S17-7
    @Test func `ANY over a single value in memory fails with its requirement`() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Office().work { context in
                let person = context.person("Ada")
                _ = NSPredicate(format: "ANY name == 'Ada'").evaluate(with: person)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains(
                "The left hand side for an ALL or ANY operator must be either an NSArray or an"
                    + " NSSet"))
    }
}
