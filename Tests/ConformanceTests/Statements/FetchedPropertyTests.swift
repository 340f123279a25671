import CoreData
import Testing

@Suite struct FetchedPropertyTests {
    /// The fetched property of a person returns other persons of the same age, except for one name.
    /// The name is in the user info of the property's description.
    private func makeModel() -> NSManagedObjectModel {
        let person = entity(
            "Person", Person.self,
            [attribute("name", .stringAttributeType), attribute("age", .integer64AttributeType)])
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
        request.predicate = NSPredicate(
            format: "age == $FETCH_SOURCE.age AND name != $FETCHED_PROPERTY.userInfo.except"
                + " AND SELF != $FETCH_SOURCE")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let peers = NSFetchedPropertyDescription()
        peers.name = "peers"
        peers.userInfo = ["except": "Nobody"]
        peers.fetchRequest = request
        person.properties += [peers]
        return model(person)
    }

    private func names(_ person: Person) -> [String]? {
        (person.value(forKey: "peers") as? [Person])?.compactMap(\.name)
    }

    private func hire(_ names: [String], age: Int, in office: Office) throws {
        try office.work { context in
            for name in names { context.person(name).setValue(age, forKey: "age") }
            try context.save()
        }
    }

    // Proves S2.13-1, S2.13-3
    @Test func `a fetched property is read once, and again after a refresh`() throws {
        let office = try Office(makeModel())
        try hire(["Ada", "Grace", "Nobody", "Zoe"], age: 30, in: office)
        try hire(["Old"], age: 70, in: office)
        try office.work { context in
            let ada = try #require(try context.people("name == 'Ada'").first)
            #expect(names(ada) == ["Grace", "Zoe"])
            try hire(["Eve"], age: 30, in: office)
            #expect(names(ada) == ["Grace", "Zoe"])
            context.refresh(ada, mergeChanges: true)
            #expect(names(ada) == ["Eve", "Grace", "Zoe"])
            try hire(["Hedy"], age: 30, in: office)
            context.refresh(ada, mergeChanges: false)
            #expect(ada.isFault)
            #expect(names(ada) == ["Eve", "Grace", "Hedy", "Zoe"])
            #expect(!context.hasChanges)
        }
    }

    @Test func `unsaved objects are included, and an unsaved object has a fetched property too`()
        throws
    {
        let office = try Office(makeModel())
        try hire(["Ada"], age: 30, in: office)
        try office.work { context in
            let new = context.person("New")
            new.setValue(30, forKey: "age")
            #expect(names(new) == ["Ada"])
            let ada = try #require(try context.people("name == 'Ada'").first)
            #expect(names(ada) == ["New"])
        }
    }

    // Proves S2.13-2
    @Test func `a fetched property cannot be set`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Office(FetchedPropertyTests().makeModel()).work { context in
                context.person("Ada").setValue([NSManagedObject](), forKey: "peers")
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("'peers' is a fetched property"))
    }

    @Test func `a fetched property without a request fails with its name`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let thing = Company.plain("Thing", [attribute("name", .stringAttributeType)])
            let others = NSFetchedPropertyDescription()
            others.name = "others"
            thing.properties += [others]
            try Office(model(thing)).work { context in
                _ = context.new("Thing").value(forKey: "others")
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("The fetched property 'others' of 'Thing' has no request"))
    }

    // Proves S2.13-4
    @Test func `a fetched property may read another store`() throws {
        let note = Company.plain("Note", [attribute("text", .stringAttributeType)])
        let reader = Company.plain("Reader", [attribute("word", .stringAttributeType)])
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Note")
        request.predicate = NSPredicate(format: "text CONTAINS $FETCH_SOURCE.word")
        let notes = NSFetchedPropertyDescription()
        notes.name = "notes"
        notes.fetchRequest = request
        reader.properties += [notes]
        let made = model(note, reader)
        made.setEntities([note], forConfigurationName: "Notes")
        made.setEntities([reader], forConfigurationName: "Readers")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: made)
        for name in ["Notes", "Readers"] {
            try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: name, at: nil)
        }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.on {
            context.new("Note").setValue("on engines", forKey: "text")
            context.new("Note").setValue("on looms", forKey: "text")
            let ada = context.new("Reader")
            ada.setValue("engine", forKey: "word")
            try context.save()
            let found = ada.value(forKey: "notes") as? [NSManagedObject]
            #expect(found?.compactMap { $0.value(forKey: "text") as? String } == ["on engines"])
            #expect(found?.first?.objectID.persistentStore !== ada.objectID.persistentStore)
        }
    }

    @Test func `a request in a model in use cannot be changed from outside`() throws {
        let made = makeModel()
        let property = try #require(
            made.entitiesByName["Person"]?.propertiesByName["peers"]
                as? NSFetchedPropertyDescription)
        property.fetchRequest?.fetchLimit = 1
        let office = try Office(made)
        property.fetchRequest?.fetchLimit = 2
        #expect(property.fetchRequest?.fetchLimit == 1)
        try hire(["Ada", "Grace", "Zoe"], age: 30, in: office)
        try office.work { context in
            let ada = try #require(try context.people("name == 'Ada'").first)
            #expect(names(ada) == ["Grace"])
        }
    }
}
