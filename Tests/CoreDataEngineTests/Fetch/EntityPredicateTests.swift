import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Testing

@testable import CoreDataEngine

/// Predicates that compare the entity of an object.
@Suite struct EntityPredicateTests {
    private static let questions: [(format: String, count: Int)] = [
        ("self.entity == %@", 2), ("SELF.entity == %@ AND name = 'x'", 1), ("entity == %@", 2),
        ("entity IN {%@}", 2), ("entity != %@", 1), ("entity.name == 'Child'", 2),
        ("self.entity.name == 'Nothing'", 0), ("entity.name BEGINSWITH 'P'", 1),
        ("next.entity == %@", 1), ("next.entity.name == 'Parent'", 0), ("NOT (entity == %@)", 1),
    ]

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `an entity is compared by its description and by its name`(_ type: String) throws {
        let parent = GraphModels.entity("Parent", [GraphModels.text("name")])
        let child = GraphModels.entity("Child", [])
        parent.subentities = [child]
        parent.properties += [
            GraphModels.relationship(.init(owner: parent, name: "next"), to: parent)
        ]
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: GraphModels.model([parent, child]))
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: nil)
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Child"])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.on {
            let first = context.make("Child", ["name": "x"])
            context.make("Child", ["name": "y", "next": first])
            context.make("Parent", ["name": "x"])
            for isSaved in [false, true] {
                if isSaved {
                    try context.save()
                    context.reset()
                }
                for (format, count) in Self.questions {
                    let found = try context.all("Parent", format, [entity])
                    #expect(found.count == count, "\(format), saved: \(isSaved)")
                }
                let copy = try #require(entity.copy() as? NSEntityDescription)
                #expect(try context.all("Parent", "entity == %@", [copy]).count == 2)
            }
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            let found = try child.on { try child.all("Parent", "entity == %@", [entity]) }
            #expect(found.count == 2)
        }
    }
}
