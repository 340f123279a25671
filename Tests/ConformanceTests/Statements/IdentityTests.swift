import CoreData
import Testing

/// Object ids, and the functions that find objects.
@Suite struct IdentityTests {
    // Proves S1.4-1, S1.4-2, S1.4-3
    @Test func `URIs have their documented forms and the object's own entity`() throws {
        let office = try Office()
        try office.work { context in
            let employee = Employee(context: context)
            let temporary = employee.objectID.uriRepresentation()
            #expect(temporary.scheme == "x-coredata" && (temporary.host ?? "").isEmpty)
            #expect(temporary.absoluteString.hasPrefix("x-coredata:///Employee/t"))
            #expect(temporary.pathComponents.count == 3)
            try context.save()
            let store = try #require(office.coordinator.persistentStores.first)
            let uri = employee.objectID.uriRepresentation()
            let identifier: String = try #require(store.identifier)
            #expect(uri.absoluteString == "x-coredata://\(identifier)/Employee/p1")
        }
    }

    // Proves S1.4-4, S1.4-5
    @Test func `permanent ids can be obtained early, once, and reserve their keys`() throws {
        let office = try Office()
        try office.work { context in
            let person = context.person("a")
            try context.obtainPermanentIDs(for: [person])
            let id = person.objectID
            #expect(!id.isTemporaryID && person.isInserted && context.hasChanges)
            try context.obtainPermanentIDs(for: [person])
            #expect(person.objectID == id)
            let other = try office.hire("b")
            #expect(other.uriRepresentation().lastPathComponent == "p2")
            #expect(try office.work { try $0.people().map(\.name) } == ["b"])
            try context.save()
            #expect(person.objectID == id)
            let late = context.person("c")
            #expect(late.objectID.isTemporaryID)
            try context.save()
            #expect(!late.objectID.isTemporaryID)
        }
    }

    // Proves S1.4-6
    @Test func `a new object is saved in the store that contains its entity`() throws {
        let office = try Office(Self.twoStoreModel())
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.twoStoreModel())
        let stores = try ["Left", "Right"].map { (name: String) in
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name,
                at: office.folder.appendingPathComponent("\(name).sqlite"))
        }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.on {
            let objects = ["One", "Two"].map { context.new($0) }
            try context.save()
            for (object, store) in zip(objects, stores) {
                #expect(object.objectID.persistentStore === store)
            }
        }
    }

    // Proves S1.7-4
    @Test func `objects of two stores cannot be saved as related`() throws {
        let office = try Office()
        let model = Self.twoStoreModel()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for name in ["Left", "Right"] {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name,
                at: office.folder.appendingPathComponent("\(name).sqlite"))
        }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.on {
            let one = context.new("One")
            one.setValue(context.new("Two"), forKey: "two")
            #expect(context.saveError()?.code == 133_010)
            #expect(context.insertedObjects.count == 2)
        }
    }

    /// A model in which the entity `One` has a to-one relationship to the entity `Two`. They are in
    /// different configurations.
    static func twoStoreModel() -> NSManagedObjectModel {
        let one = Company.plain("One", [attribute("name", .stringAttributeType)])
        let two = Company.plain("Two", [attribute("name", .stringAttributeType)])
        relate(End(owner: one, name: "two"), End(owner: two, name: "one"))
        let made = model(one, two)
        made.setEntities([one], forConfigurationName: "Left")
        made.setEntities([two], forConfigurationName: "Right")
        return made
    }

    // Proves S1.4-7
    @Test func `a held temporary id differs from the permanent one`() throws {
        try Office().work { context in
            let person = context.person("a")
            let temporary = person.objectID
            try context.save()
            #expect(person.objectID !== temporary && person.objectID != temporary)
            #expect(temporary.isTemporaryID)
        }
    }

    // Proves S1.4-8
    @Test func `ids of one row are equal in every context, those of others are not`() throws {
        let office = try Office()
        let ada = try office.hire("Ada")
        let grace = try office.hire("Grace")
        let uri = ada.uriRepresentation()
        try office.work { context in
            let found = try context.people("name == 'Ada'")[0].objectID
            #expect(found == ada && found.hash == ada.hash && found != grace)
            #expect(office.coordinator.managedObjectID(forURIRepresentation: uri) == ada)
        }
        let foreign = try Office().hire("Ada")
        #expect(foreign != ada)
    }

    // Proves S1.4-9
    @Test func `a URI of an unknown store returns nil, one of a missing row an id`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        let foreign = try Office().hire("Ada").uriRepresentation()
        #expect(office.coordinator.managedObjectID(forURIRepresentation: foreign) == nil)
        let text = id.uriRepresentation().absoluteString.replacing("/p1", with: "/p999")
        let uri = try #require(URL(string: text))
        let missing = try #require(office.coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(missing.uriRepresentation() == uri)
    }

    // Proves S1.4-10, S1.4-11, S1.4-12, S1.4-13, S17-3
    @Test func `the three look-up functions differ for missing and foreign objects`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        let gone = try office.hire("gone")
        try office.work { context in
            context.delete(try context.known(gone))
            try context.save()
        }
        let foreign = try Office().hire("Ada")
        try office.work { context in
            #expect(context.registeredObject(for: id) == nil)
            let fault = context.object(with: gone)
            #expect(fault.isFault && context.registeredObject(for: gone) === fault)
            for missing in [gone, foreign] {
                let error = #expect(throws: NSError.self) {
                    try context.existingObject(with: missing)
                }
                #expect(error?.domain == NSCocoaErrorDomain && error?.code == 133_000)
                #expect(error?.userInfo["objectID"] as? NSManagedObjectID == missing)
                #expect(
                    error?.localizedDescription == "Attempt to access an object not found in store."
                )
            }
            let found = try context.existingObject(with: id)
            #expect(!found.isFault && context.object(with: id) === found)
            #expect(context.registeredObject(for: id) === found)
        }
    }

    // Proves S2.1-1
    @Test func `a context has one object for an id, and another context has another`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        try office.work { context in
            let first = try context.people()[0]
            #expect(try context.people()[0] === first && context.object(with: id) === first)
            try office.work { other in
                let twin = try other.people()[0]
                #expect(twin !== first && twin.objectID == first.objectID)
            }
        }
    }
}
