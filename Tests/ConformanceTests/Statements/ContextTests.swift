import CoreData
import Testing

/// Nested contexts, merges, queues and containers.
@Suite struct ContextTests {
    // Proves S4.1-1
    @Test func `a context reads through its coordinator or its parent`() throws {
        let office = try Office()
        try office.hire("Ada")
        try office.work { parent in
            let child = parent.child()
            #expect(child.parent === parent && parent.parent == nil)
            #expect(child.persistentStoreCoordinator === office.coordinator)
            let names = try child.on { try child.people().map(\.name) }
            #expect(names == ["Ada"])
            #expect(parent.concurrencyType == .privateQueueConcurrencyType)
        }
    }

    // Proves S4.1-3
    @Test func `a child's save validates and does not reach the store`() throws {
        let office = try Office()
        try office.work { parent in
            let child = parent.child()
            try child.on {
                let person = child.person("bad")
                person.onValidate = { if $0.name == "bad" { throw NSError(domain: "", code: 7) } }
                #expect(child.saveError()?.code == 7)
                #expect(!parent.hasChanges)
                person.name = "good"
                try child.save()
            }
            #expect(parent.insertedObjects.count == 1)
            let stored = try office.work { try $0.people().count }
            #expect(stored == 0)
            try parent.save()
        }
        #expect(try office.work { try $0.people().map(\.name) } == ["good"])
    }

    // Proves S1.8-15
    @Test func `a child's did-save has temporary ids, and its parent posts the change`() throws {
        let office = try Office()
        try office.work { parent in
            let child = parent.child()
            let changes = Received(.NSManagedObjectContextObjectsDidChange, of: parent)
            let saves = Received(.NSManagedObjectContextDidSave, of: child)
            try child.on {
                _ = child.person("new")
                try child.save()
                let saved = saves.objects(NSInsertedObjectsKey)
                #expect(saved?.count == 1 && saved?.first?.objectID.isTemporaryID == true)
            }
            #expect(changes.objects(NSInsertedObjectsKey)?.count == 1)
        }
    }

    // Proves S4.2-6
    @Test func `a did-save may be merged from another queue`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        let reader = office.context()
        let writer = office.context()
        let saves = Saves(of: office.container, except: reader)
        let person = try reader.on { try reader.known(id) }
        reader.performAndWait { #expect(person.name == "Ada") }
        let done = DispatchSemaphore(value: 0)
        writer.perform {
            (try? writer.existingObject(with: id))?.setValue("Grace", forKey: "name")
            try? writer.save()
            done.signal()
        }
        done.wait()
        reader.performAndWait {
            for save in saves.take() { reader.mergeChanges(fromContextDidSave: save) }
            #expect(person.name == "Grace")
        }
    }

    // Proves S4.2-8, S4.3-1
    @Test func `remote changes are ids or URIs, in arrays or sets, also of another stack`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        let uri = id.uriRepresentation()
        let other = try office.twin().newBackgroundContext()
        let context = office.context()
        let person = try context.on { try context.known(id) }
        let forms: [[AnyHashable: Any]] = [
            [NSUpdatedObjectsKey: [id]], [NSUpdatedObjectIDsKey: Set([id])],
            [NSUpdatedObjectsKey: Set([uri])], [NSUpdatedObjectIDsKey: [uri]],
        ]
        for (index, form) in forms.enumerated() {
            try other.on {
                try other.people()[0].setValue("name \(index)", forKey: "name")
                try other.save()
            }
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: form, into: [context])
            context.performAndWait { #expect(person.name == "name \(index)") }
        }
    }

    // Proves S1.8-3
    @Test func `did-change has its documented name and keys`() throws {
        #expect(
            Notification.Name.NSManagedObjectContextObjectsDidChange.rawValue
                == "NSObjectsChangedInManagingContextNotification")
        #expect(
            [
                NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey,
                NSRefreshedObjectsKey, NSInvalidatedObjectsKey, NSInvalidatedAllObjectsKey,
            ] == ["inserted", "updated", "deleted", "refreshed", "invalidated", "invalidatedAll"])
        let office = try Office()
        let ids = try ["old", "gone"].map(office.hire)
        try office.work { context in
            let people = try ids.map(context.known)
            let posts = Received(.NSManagedObjectContextObjectsDidChange, of: context)
            let new = context.person("new")
            people[0].name = "older"
            context.delete(people[1])
            context.processPendingChanges()
            #expect(posts.objects("inserted") == [new])
            #expect(posts.objects("updated") == [people[0]])
            #expect(posts.objects("deleted") == [people[1]])
        }
    }

    // Proves S1.8-6, S1.8-8
    @Test func `a coordinator posts changes of its stores`() throws {
        let office = try Office()
        let coordinator = office.coordinator
        let store = try #require(coordinator.persistentStores.first)
        let seen = Seen()
        let center = NotificationCenter.default
        let tokens = [
            center.addObserver(
                forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator,
                queue: nil
            ) { note in
                for key in [NSAddedPersistentStoresKey, NSRemovedPersistentStoresKey] {
                    if let stores = note.userInfo?[key] as? [NSPersistentStore] {
                        seen.values.append("\(key) \(stores.count)")
                    }
                }
            },
            center.addObserver(
                forName: .NSPersistentStoreCoordinatorWillRemoveStore, object: store, queue: nil
            ) { _ in seen.values.append("will remove \(coordinator.persistentStores.count)") },
        ]
        try coordinator.remove(store)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store.url)
        for token in tokens { center.removeObserver(token) }
        #expect(seen.values == ["will remove 1", "removed 1", "added 1"])
    }

    // Proves S5-2
    @Test func `performed blocks run later, one at a time and in order`() async throws {
        let context = try Office().context()
        let seen = Seen()
        await withCheckedContinuation { done in
            context.performAndWait {
                for index in 0..<20 { context.perform { seen.values.append("\(index)") } }
                context.perform { done.resume() }
                #expect(seen.values.isEmpty)
            }
        }
        #expect(seen.values == (0..<20).map { "\($0)" })
    }

    // Proves S5-3
    @Test func `performAndWait may be nested and returns results and rethrows errors`() throws {
        let context = try Office().context()
        let sum = context.performAndWait { 1 + context.performAndWait { 2 } }
        #expect(sum == 3)
        let error = #expect(throws: NSError.self) {
            try context.performAndWait { throw NSError(domain: "", code: 7) }
        }
        #expect(error?.code == 7)
    }

    // Proves S5-6
    @Test func `the asynchronous perform runs immediately, or is enqueued last`() async throws {
        let context = try Office().context()
        let seen = Seen()
        await context.perform {
            seen.values.append("outer")
            context.perform { seen.values.append("later") }
        }
        await context.perform(schedule: .enqueued) { seen.values.append("enqueued") }
        #expect(seen.values == ["outer", "later", "enqueued"])
        #expect(await context.perform { 42 } == 42)
        let error = await #expect(throws: NSError.self) {
            try await context.perform { throw NSError(domain: "", code: 7) }
        }
        #expect(error?.code == 7)
    }

    // Proves S5-7
    @Test func `a coordinator performs blocks too`() async throws {
        let coordinator = try Office().coordinator
        #expect(coordinator.performAndWait { coordinator.persistentStores.count } == 1)
        await withCheckedContinuation { done in coordinator.perform { done.resume() } }
    }

    // Proves S5-10
    @Test func `ids, coordinators and containers may be passed to any thread`() {
        func isSendable<T: Sendable>(_ type: T.Type) -> Bool { true }
        #expect(isSendable(NSManagedObjectID.self))
        #expect(isSendable(NSPersistentStoreCoordinator.self))
        #expect(isSendable(NSPersistentContainer.self))
    }

    // Proves S5-11
    @Test func `use off the queue ends the process with the documented function name`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try Office().context().registeredObjects }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Multithreading_Violation_AllThatIsLeftToUsIsHonor"))
    }

    // Proves S5-12, S6-1
    @Test func `a view context is on the main queue without undo, policy or merging`() throws {
        let view = try Office().container.viewContext
        #expect(view.concurrencyType == .mainQueueConcurrencyType)
        #expect(view.undoManager == nil && !view.automaticallyMergesChangesFromParent)
        #expect((view.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
        for type in [
            NSManagedObjectContext.ConcurrencyType.privateQueue, .mainQueue,
        ] { #expect(NSManagedObjectContext(type).undoManager == nil) }
    }

    // Proves S5-13
    @Test func `each background task has its own private context`() async throws {
        let office = try Office()
        let background = office.container.newBackgroundContext()
        #expect(background.concurrencyType == .privateQueueConcurrencyType)
        #expect(background.persistentStoreCoordinator === office.coordinator)
        let seen = Seen()
        var kept: [NSManagedObjectContext] = []
        for _ in 0..<2 {
            kept.append(
                await office.container.performBackgroundTask { context in
                    seen.values.append("\(context.concurrencyType == .privateQueueConcurrencyType)")
                    return context
                })
        }
        #expect(kept[0] !== kept[1] && seen.values == ["true", "true"])
    }
}
