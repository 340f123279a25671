import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Testing

@testable import CoreDataEngine

/// Tests that models, mappings and requests with equal contents are equal.
///
/// Source: issue reports of libraries that compare models or requests; api-surface.md §4, 5, 10.
@Suite struct EqualityTests {
    private func model(_ change: (NSEntityDescription) -> Void = { _ in }) -> NSManagedObjectModel {
        let note = GraphModels.entity(
            "Note", [GraphModels.text("name"), GraphModels.number("pages")])
        let tag = GraphModels.entity("Tag", [GraphModels.text("name")])
        GraphModels.relate(
            .init(owner: note, name: "tags", toMany: true),
            .init(owner: tag, name: "notes", toMany: true))
        change(note)
        return GraphModels.model([note, tag])
    }

    @Test func `models are equal by their contents`() throws {
        let first = model()
        let second = model { $0.properties = $0.properties.reversed() }
        #expect(first == second && first.hash == second.hash && first !== second)
        #expect(first.copy() as? NSManagedObjectModel == first)
        try first.freeze()
        #expect(first == second && first.hash == second.hash)
        for other in [
            model { $0.attributesByName["pages"]?.defaultValue = 3 },
            model { $0.userInfo = ["k": "v"] },
            model { $0.attributesByName["name"]?.isOptional = false },
            model { $0.relationshipsByName["tags"]?.deleteRule = .cascadeDeleteRule },
        ] { #expect(first != other) }
    }

    @Test func `a model goes through a secure archive`() throws {
        let model = model { note in
            note.attributesByName["name"]?.setValidationPredicates(
                [NSPredicate(format: "length >= 2")], withValidationWarnings: ["1670"])
        }
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: model, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSManagedObjectModel.self, from: data)
        #expect(read == model)
        #expect(read?.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test func `mapping models are equal by their mappings, under Core Data's names`() throws {
        let old = model()
        let new = model { $0.properties += [GraphModels.text("extra")] }
        let inferred = try (0..<2).map { _ in
            try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        }
        #expect(inferred[0] == inferred[1] && inferred[0] !== inferred[1])
        let names = inferred[0].entityMappings.map { $0.name ?? "" }
        #expect(names.sorted() == ["IEM_Copy_Tag", "IEM_Transform_Note"])
        inferred[1].entityMappings[0].mappingType = .removeEntityMappingType
        #expect(inferred[0] != inferred[1])
    }

    @Test func `requests are equal by their settings`() {
        func request(
            _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
        ) -> NSFetchRequest<NSManagedObject> {
            let made = NSFetchRequest<NSManagedObject>(entityName: "Note")
            made.predicate = NSPredicate(format: "pages > 3")
            made.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            change(made)
            return made
        }
        #expect(request() == request() && request().hash == request().hash)
        for other in [
            request { $0.fetchLimit = 1 }, request { $0.predicate = nil },
            request { $0.includesSubentities = false }, request { $0.propertiesToFetch = ["name"] },
        ] { #expect(request() != other) }
    }
}
