import CoreData
import Testing

/// Tests of removing a store from its coordinator while contexts have objects of the store.
@Suite struct RemovedStoreTests {
    // Proves S1.8-13
    @Test func `objects of a removed store are posted as invalidated`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        let context = office.context()
        let posts = Received(.NSManagedObjectContextObjectsDidChange, of: context)
        try context.on {
            let ada = try context.known(id)
            ada.name = "Augusta"
            let new = context.person("New")
            context.processPendingChanges()
            try office.coordinator.remove(try #require(office.coordinator.persistentStores.first))
            #expect(posts.objects(NSInvalidatedObjectsKey) == [ada])
            #expect(ada.objectID == id && ada.managedObjectContext == nil)
            #expect(context.registeredObjects == [new] && context.updatedObjects.isEmpty)
            // Unsaved objects belong to no store.
            #expect(context.insertedObjects == [new] && new.name == "New")
        }
    }

    @Test func `a context on another queue and a child receive the removal on their queues`() throws
    {
        let office = try Office()
        let id = try office.hire("Ada")
        let context = office.context()
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = context
        let inParent = try context.on { try context.known(id) }
        let inChild = try child.on { try child.known(id) }
        try office.coordinator.remove(try #require(office.coordinator.persistentStores.first))
        // Blocks of one queue run in order.
        try context.on { #expect(inParent.managedObjectContext == nil) }
        try child.on { #expect(inChild.managedObjectContext == nil) }
    }

    @Test func `objects of other stores stay`() throws {
        let made = model(Company.plain("A", []), Company.plain("B", []))
        for entity in made.entities {
            made.setEntities([entity], forConfigurationName: entity.name ?? "")
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: made)
        let stores = try ["A", "B"].map {
            try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: $0, at: nil)
        }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.on {
            let (a, b) = (context.new("A"), context.new("B"))
            try context.save()
            try coordinator.remove(stores[0])
            #expect(a.managedObjectContext == nil)
            #expect(b.managedObjectContext === context && !b.isFault)
        }
    }
}
