import CoreData
import Testing

/// One test for each entry of DEVIATIONS.md that the public API shows. The engine behaves
/// differently from Core Data.
@Suite struct DeviationTests {
    private func model(attribute: String = "title") -> NSManagedObjectModel {
        let title = NSAttributeDescription()
        title.name = attribute
        title.attributeType = .stringAttributeType
        let entity = NSEntityDescription()
        entity.name = "Note"
        entity.properties = [title]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    /// A stack on a new file, and the folder of the file. The caller removes the folder.
    private func stack() throws -> (NSPersistentContainer, URL) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("deviations-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model())
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appendingPathComponent("Notes.sqlite"))
        ]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return (container, folder)
    }

    @Test func `D-001 version hashes have Core Data's length and uses and our own values`() throws {
        let hash = try #require(model().entitiesByName["Note"]).versionHash
        #expect(hash.count == 32)
        #expect(model().entitiesByName["Note"]?.versionHash == hash)
        #expect(model(attribute: "text").entitiesByName["Note"]?.versionHash != hash)
    }

    @Test func `D-002 a selector is a name, and the documented comparisons sort by it`() throws {
        let selector: Selector = "caseInsensitiveCompare:"
        #expect(NSStringFromSelector(selector) == "caseInsensitiveCompare:")
        let (container, folder) = try stack()
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = container.newBackgroundContext()
        try context.performAndWait {
            for title in ["b", "C", "a"] {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(title, forKey: "title")
            }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.sortDescriptors = [
                NSSortDescriptor(key: "title", ascending: true, selector: selector)
            ]
            let titles = try context.fetch(request).map { $0.value(forKey: "title") as? String }
            #expect(titles == ["a", "b", "C"])
        }
    }

    private final class Log: NSObject, KeyValueObserver {
        var count = 0

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            count += 1
        }
    }

    @Test func `D-002 observers adopt a protocol, and only turning into a fault is reported`()
        throws
    {
        let (container, folder) = try stack()
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("a", forKey: "title")
            try context.save()
            let log = Log()
            note.addObserver(log, forKeyPath: "title", options: [], context: nil)
            note.setValue("b", forKey: "title")
            #expect(log.count == 1)
            context.refresh(note, mergeChanges: false)
            #expect(log.count == 2 && note.isFault)
            #expect(note.value(forKey: "title") as? String == "a" && log.count == 2)
            #expect(note.observationInfo() == nil)
        }
    }

    @Test func `D-003 a batched fetch registers every object as a fault at once`() throws {
        let (container, folder) = try stack()
        defer { try? FileManager.default.removeItem(at: folder) }
        let writer = container.newBackgroundContext()
        try writer.performAndWait {
            for _ in 0..<5 {
                _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: writer)
            }
            try writer.save()
        }
        let reader = container.newBackgroundContext()
        try reader.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.fetchBatchSize = 2
            let notes = try reader.fetch(request)
            #expect(notes.count == 5)
            let faults = notes.filter(\.isFault)
            #expect(faults.count == 5)
            #expect(reader.registeredObjects.count == 5)
        }
    }

    @Test func `D-004 misuse is thrown with 134060 where the signature allows`() throws {
        let (container, folder) = try stack()
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = container.newBackgroundContext()
        context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Nothing")
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(error?.code == 134_060)
        }
    }

    @Test func `D-004 misuse ends the process where the signature cannot throw`() async {
        await #expect(processExitsWith: .failure) {
            _ = NSPredicate(format: "title ==")
        }
    }

    @Test func `D-006 an override of the initialiser says required, and is called`() throws {
        let model = model()
        model.entities[0].managedObjectClassName = NSStringFromClass(CountedNote.self)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(
            managedObjectModel: model)
        try context.performAndWait {
            let entity = try #require(
                NSEntityDescription.entity(forEntityName: "Note", in: context))
            let note = NSManagedObject(entity: entity, insertInto: context)
            #expect((note as? CountedNote)?.madeBy == "override")
            #expect(NSManagedObject(entity: entity, insertInto: nil) is CountedNote)
            // Creating many objects does not corrupt the entity or the context.
            for _ in 0..<100 { _ = CountedNote(context: context) }
            context.rollback()
            #expect(context.registeredObjects.isEmpty && entity.name == "Note")
        }
    }

    @Test func `D-007 a count of two stores is refused until one is named`() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        let stores = try (0..<2).map { _ in
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: nil)
        }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for store in stores {
                let note = NSEntityDescription.insertNewObject(
                    forEntityName: "Note", into: context)
                context.assign(note, to: store)
            }
            try context.save()
            let count = NSExpressionDescription()
            count.name = "count"
            count.expression = NSExpression(
                forFunction: "count:", arguments: [NSExpression(forKeyPath: "title")])
            let request = NSFetchRequest<NSDictionary>(entityName: "Note")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [count]
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.localizedDescription.contains("affectedStores") == true)
            request.affectedStores = [stores[1]]
            let found = try context.fetch(request)
            #expect(found.count == 1)
        }
    }

    @Test func `D-008 a refetch refreshes registered objects if requested`() throws {
        let (container, folder) = try stack()
        defer { try? FileManager.default.removeItem(at: folder) }
        let reader = container.newBackgroundContext()
        let writer = container.newBackgroundContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        try writer.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: writer)
            note.setValue("FIAT", forKey: "title")
            try writer.save()
        }
        let known = try reader.performAndWait {
            let known = try reader.fetch(request)
            #expect(known.first?.value(forKey: "title") as? String == "FIAT")
            return known
        }
        try writer.performAndWait {
            try writer.fetch(request).first?.setValue("FCA", forKey: "title")
            try writer.save()
        }
        try reader.performAndWait {
            _ = try reader.fetch(request)
            #expect(known.first?.value(forKey: "title") as? String == "FIAT")
            request.shouldRefreshRefetchedObjects = true
            _ = try reader.fetch(request)
            #expect(known.first?.value(forKey: "title") as? String == "FCA")
        }
    }

    @Test func `D-068 a CloudKit container loads local stores`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("deviations-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = NSPersistentCloudKitContainer(name: "Notes", managedObjectModel: model())
        let description = NSPersistentStoreDescription(
            url: folder.appendingPathComponent("Notes.sqlite"))
        description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
            containerIdentifier: "iCloud.org.example.notes")
        container.persistentStoreDescriptions = [description]
        var loaded: [NSPersistentStoreDescription] = []
        container.loadPersistentStores { description, error in
            #expect(error == nil)
            loaded.append(description)
        }
        let options = loaded.first?.cloudKitContainerOptions
        #expect(options?.containerIdentifier == "iCloud.org.example.notes")
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        #expect(container.canModifyManagedObjects(in: store))
        let error = #expect(throws: NSError.self) {
            try container.initializeCloudKitSchema(options: [.dryRun])
        }
        #expect(error?.code == NSCoreDataError)
    }

    @Test func `D-096 inserting a saved object again has no effect`() throws {
        let (container, folder) = try stack()
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("a", forKey: "title")
            try context.save()
            context.insert(note)
            #expect(!note.isInserted && context.insertedObjects.isEmpty && !context.hasChanges)
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            #expect(try context.count(for: request) == 1)
        }
    }
}

final class CountedNote: NSManagedObject {
    private(set) var madeBy = ""

    required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        madeBy = "override"
    }
}
