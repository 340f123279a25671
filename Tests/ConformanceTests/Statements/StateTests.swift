import CoreData
import Testing

/// The flags, values and initialisers of objects.
@Suite struct StateTests {
    // Proves S1.1-1
    @Test func `flags follow an object through its life`() throws {
        let office = try Office()
        try office.work { context in
            let person = context.person("Ada")
            #expect(person.isInserted && person.hasChanges)
            #expect(!person.isUpdated && !person.isDeleted && !person.isFault)
            try context.save()
            #expect(!person.isInserted && !person.hasChanges)
            person.name = "Grace"
            #expect(person.isUpdated && person.hasChanges && !person.isInserted)
            try context.save()
            context.refresh(person, mergeChanges: false)
            #expect(person.isFault && !person.hasChanges)
            context.delete(person)
            #expect(person.isDeleted && person.hasChanges)
        }
    }

    // Proves S1.1-2, S2.1-3
    @Test func `changed and locked objects are retained, others only if the context is set to`()
        throws
    {
        let office = try Office()
        let ids = try ["a", "b", "c", "d"].map(office.hire)
        for retains in [false, true] {
            let context = office.context()
            context.retainsRegisteredObjects = retains
            weak var updated: Person?
            weak var deleted: Person?
            weak var locked: Person?
            weak var plain: Person?
            weak var inserted: Person?
            try context.on {
                let people = try ids.map(context.known)
                people[0].name = "changed"
                context.delete(people[1])
                context.detectConflicts(for: people[2])
                (updated, deleted, locked, plain) = (people[0], people[1], people[2], people[3])
                inserted = context.person("new")
            }
            try context.on {
                #expect(updated != nil && deleted != nil && locked != nil && inserted != nil)
                #expect((plain != nil) == retains)
            }
        }
    }

    // Proves S1.1-5
    @Test func `reading hasPersistentChangedValues does not fire relationships`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        try office.work { context in
            let person = try context.known(id)
            person.name = "Grace"
            #expect(person.hasPersistentChangedValues)
            for key in ["reports", "tags"] { #expect(person.hasFault(forRelationshipNamed: key)) }
        }
    }

    // Proves S1.1-12
    @Test func `an edited new object stays inserted`() throws {
        try Office().work { context in
            let person = context.person("Ada")
            context.processPendingChanges()
            person.name = "Grace"
            context.processPendingChanges()
            #expect(context.insertedObjects == [person] && context.updatedObjects.isEmpty)
            #expect(!person.isUpdated)
        }
    }

    // Proves S1.1-13
    @Test func `a transient value makes object and context dirty`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        try office.work { context in
            let person = try context.known(id)
            person.setValue("note", forKey: "note")
            #expect(person.hasChanges && person.isUpdated && context.hasChanges)
            #expect(person.changedValues().isEmpty)
        }
    }

    // Proves S1.1-18
    @Test func `a class has its entity after a coordinator has used its model`() throws {
        let entity = entity("Lonely", Lonely.self, [attribute("name", .stringAttributeType)])
        let office = try Office(model(entity))
        #expect(Lonely.entity().name == "Lonely")
        #expect(Lonely.fetchRequest().entityName == "Lonely")
        try office.work { context in
            #expect(Lonely(context: context).entity === Lonely.entity())
        }
    }

    // Proves S1.1-19
    @Test func `a class that two models claim is reported in the log`() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let coordinators = (0..<2).map { _ in
                let entity = entity("Lonely", Lonely.self, [])
                return NSPersistentStoreCoordinator(managedObjectModel: model(entity))
            }
            #expect(Lonely.entity().name == "Lonely" && coordinators.count == 2)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Multiple NSEntityDescriptions claim"))
    }

    // Proves S17-4
    @Test func `a class that no model claims has no entity`() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Lonely.entity() }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("No NSEntityDescriptions in any model claim"))
        #expect(text.contains("Lonely"))
    }

    // Proves S17-1
    @Test func `unknown keys end the process with the key`() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Office().work { $0.person().setValue(1, forKey: "weight") }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("weight"))
        await #expect(processExitsWith: .failure) {
            try Office().work { $0.person().setPrimitiveValue(1, forKey: "weight") }
        }
    }
}

final class Lonely: NSManagedObject {}
