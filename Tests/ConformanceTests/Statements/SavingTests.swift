import CoreData
import Testing

/// The effects of a save and of a failed save.
@Suite struct SavingTests {
    // Proves S1.5-9
    @Test func `an object that requires a deleted one cannot be saved`() throws {
        let owner = Company.plain("Owner", [attribute("name", .stringAttributeType)])
        let thing = Company.plain("Thing", [attribute("name", .stringAttributeType)])
        relate(End(owner: owner, name: "things", toMany: true), End(owner: thing, name: "owner"))
        thing.relationshipsByName["owner"]?.isOptional = false
        let office = try Office(model(owner, thing))
        try office.work { context in
            let owner = context.new("Owner")
            let thing = context.new("Thing", "t")
            thing.setValue(owner, forKey: "owner")
            try context.save()
            context.delete(owner)
            let error = try #require(context.saveError())
            #expect(error.code == NSValidationMissingMandatoryPropertyError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "owner")
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === thing)
        }
    }

    // Proves S1.5-15
    @Test func `a failed save leaves everything pending until it is repaired or rolled back`()
        throws
    {
        let office = try Office()
        let ids = try ["gone", "old"].map(office.hire)
        try office.work { context in
            let people = try ids.map(context.known)
            context.delete(people[0])
            people[1].name = "older"
            let new = context.person("new")
            new.onValidate = { if $0.name == "new" { throw NSError(domain: "no", code: 7) } }
            for _ in 0..<2 {
                #expect(context.saveError()?.code == 7)
                #expect(context.deletedObjects == [people[0]])
                #expect(context.updatedObjects == [people[1]])
                #expect(context.insertedObjects == [new])
            }
            new.name = "mended"
            try context.save()
            new.name = "new"
            #expect(context.saveError()?.code == 7)
            context.rollback()
            try context.save()
        }
        #expect(try office.work { try $0.people().map(\.name) } == ["mended", "older"])
    }

    // Proves S1.5-16
    @Test func `keys that a failed save reserved are not used again`() throws {
        let country = Company.plain("Country", [attribute("name", .stringAttributeType)])
        country.uniquenessConstraints = [["name"]]
        let office = try Office(model(country))
        try office.work { context in
            _ = context.new("Country", "a")
            try context.save()
            _ = context.new("Country", "a")
            #expect(context.saveError()?.code == 133_021)
            context.rollback()
            let third = context.new("Country", "b")
            try context.save()
            #expect(third.objectID.uriRepresentation().lastPathComponent == "p3")
        }
    }

    // Proves S1.5-18
    @Test func `a store that fails after another has saved is named`() throws {
        let office = try Office()
        let urls = ["Left", "Right"].map { office.folder.appendingPathComponent("\($0).sqlite") }
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: IdentityTests.twoStoreModel())
        func add(_ index: Int, _ options: [AnyHashable: Any]? = nil) throws -> NSPersistentStore {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: ["Left", "Right"][index],
                at: urls[index], options: options)
        }
        func context() -> NSManagedObjectContext {
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            return context
        }
        _ = try add(0)
        let right = try add(1)
        let writer = context()
        try writer.on {
            for name in ["One", "Two"] { _ = writer.new(name, "old") }
            try writer.save()
        }
        try coordinator.remove(right)
        let readOnly = try add(1, [NSReadOnlyPersistentStoreOption: true])
        let second = context()
        try second.on {
            for name in ["One", "Two"] {
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                try second.fetch(request).first?.setValue("new", forKey: "name")
            }
            let error = try #require(second.saveError())
            #expect(error.code == 134_040)
            let failed = error.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore]
            #expect(failed?.first === readOnly)
            #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 513)
            #expect(second.updatedObjects.count == 2)
        }
        // The save of two stores is two transactions, so the first store was written.
        let reader = context()
        try reader.on {
            let names = try ["One", "Two"].map { name in
                try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: name))
                    .map { $0.value(forKey: "name") as? String }
            }
            #expect(names == [["new"], ["old"]])
        }
    }

    // Proves S1.8-14, S6-8
    @Test func `a reset is posted once, and its objects are invalid`() async throws {
        try Office().work { context in
            let person = context.person("Ada")
            try context.save()
            let posts = Received(.NSManagedObjectContextObjectsDidChange, of: context)
            context.reset()
            #expect(posts.count == 1 && posts.has(NSInvalidatedAllObjectsKey))
            #expect(context.registeredObjects.isEmpty && person.managedObjectContext == nil)
        }
        try Office().work { context in
            let person = context.person("Ada")
            context.reset()
            #expect(person.name == nil)
        }
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Office().work { context in
                let person = context.person("Ada")
                context.reset()
                person.name = "Eve"
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("has been invalidated"))
    }

    // Proves S1.6-1
    @Test func `the rule no action leaves a reference to a deleted row`() throws {
        let owner = Company.plain("Owner", [attribute("name", .stringAttributeType)])
        let thing = Company.plain("Thing", [attribute("name", .stringAttributeType)])
        relate(
            End(owner: owner, name: "things", toMany: true, rule: .noActionDeleteRule),
            End(owner: thing, name: "owner"))
        let office = try Office(model(owner, thing))
        try office.work { context in
            let owner = context.new("Owner")
            context.new("Thing").setValue(owner, forKey: "owner")
            try context.save()
            let id = owner.objectID
            context.delete(owner)
            try context.save()
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.predicate = NSPredicate(format: "owner != nil")
            let things = try context.fetch(request)
            #expect(things.count == 1)
            #expect(things[0].objectIDs(forRelationshipNamed: "owner") == [id])
        }
    }

    // Proves S1.6-2
    @Test func `nullify is the default and sets the column to NULL`() throws {
        #expect(NSRelationshipDescription().deleteRule == .nullifyDeleteRule)
        let office = try Office()
        try office.work { context in
            let team = context.new("Team", "core")
            let person = context.person("Ada")
            person.team = team
            try context.save()
            context.delete(team)
            try context.save()
            context.reset()
            #expect(try context.people("team == nil").count == 1)
            #expect(try context.people().first?.team == nil)
        }
    }

    // Proves S1.6-7
    @Test func `members may be deleted during an iteration of their set`() throws {
        try Office().work { context in
            let boss = context.person("boss")
            for name in ["a", "b", "c"] { context.person(name).boss = boss }
            try context.save()
            for report in boss.mutableSetValue(forKey: "reports") {
                context.delete(try #require(report as? Person))
            }
            try context.save()
            #expect(boss.reports.isEmpty)
            #expect(try context.people().map(\.name) == ["boss"])
        }
    }

    // Proves S1.7-1
    @Test func `both sides agree at once, whichever side is set`() throws {
        try Office().work { context in
            let (boss, report) = (context.person("boss"), context.person("report"))
            report.boss = boss
            #expect(boss.reports == [report])
            boss.setValue(NSSet(), forKey: "reports")
            #expect(report.boss == nil)
            boss.mutableSetValue(forKey: "reports").add(report)
            #expect(report.boss === boss)
            let tag = context.new("Tag")
            tag.mutableSetValue(forKey: "people").add(boss)
            #expect(boss.value(forKey: "tags") as? Set<NSManagedObject> == [tag])
        }
    }

    // Proves S1.7-2
    @Test func `primitive setters do not change the other side`() throws {
        try Office().work { context in
            let (boss, report) = (context.person("boss"), context.person("report"))
            report.setPrimitiveValue(boss, forKey: "boss")
            #expect(report.boss === boss && boss.reports.isEmpty)
            let other = context.person("other")
            boss.setPrimitiveValue(NSSet(object: other), forKey: "reports")
            #expect(boss.reports == [other] && other.boss == nil)
        }
    }

    // Proves S1.7-3
    @Test func `relating objects of two contexts ends the process with its text`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let office = try Office()
            let other = office.context()
            try office.work { context in
                let person = context.person("a")
                try other.on { person.boss = other.person("b") }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains(
                "Illegal attempt to establish a relationship 'boss' between objects in different"
                    + " contexts (source = "))
    }

    // Proves S1.7-7
    @Test func `a maximum of one makes a relationship to-one`() {
        let relationship = NSRelationshipDescription()
        for (count, isToMany) in [(0, true), (1, false), (2, true)] {
            relationship.maxCount = count
            #expect(relationship.isToMany == isToMany)
        }
    }

    // Proves S1.7-8
    @Test func `adding a member makes the owner updated, with a new version, and may conflict`()
        throws
    {
        let office = try Office()
        let boss = try office.hire("boss")
        try office.work { context in
            let known = try context.known(boss)
            context.person("report").boss = known
            #expect(known.isUpdated)
            try office.change(boss, "age", 50)
            let error = try #require(context.saveError())
            let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            #expect(error.code == 133_020 && list?.first?.sourceObject === known)
        }
    }

    // Proves S1.8-10
    @Test func `notifications are posted on the thread that saves`() throws {
        try Office().work { context in
            let threads = Seen()
            let tokens = [
                Notification.Name.NSManagedObjectContextWillSave,
                .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave,
            ].map { name in
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                    _ in threads.values.append("\(Thread.current == threads.thread)")
                }
            }
            threads.thread = Thread.current
            _ = context.person("a")
            try context.save()
            for token in tokens { NotificationCenter.default.removeObserver(token) }
            #expect(threads.values == ["true", "true", "true"])
        }
    }

    // Proves S1.8-11
    @Test func `a fetch that registers objects posts nothing`() throws {
        let office = try Office()
        try office.hire("Ada")
        try office.work { context in
            let posts = Received(.NSManagedObjectContextObjectsDidChange, of: context)
            let people = try context.people()
            #expect(people.map(\.name) == ["Ada"])
            context.processPendingChanges()
            #expect(posts.count == 0)
            _ = context.person("a")
            _ = context.person("b")
            context.processPendingChanges()
            #expect(posts.count == 1)
        }
    }

    // Proves S1.8-12
    @Test func `refreshed objects are posted as refreshed`() throws {
        let office = try Office()
        let ids = try ["a", "b"].map(office.hire)
        try office.work { context in
            let people = try ids.map(context.known)
            let posts = Received(.NSManagedObjectContextObjectsDidChange, of: context)
            context.refresh(people[0], mergeChanges: true)
            context.processPendingChanges()
            #expect(posts.objects(NSRefreshedObjectsKey) == [people[0]])
            context.refreshAllObjects()
            context.processPendingChanges()
            #expect(posts.count == 2 && posts.objects(NSRefreshedObjectsKey) == Set(people))
        }
    }
}
