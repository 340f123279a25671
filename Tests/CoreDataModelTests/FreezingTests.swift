import CoreDataModel
import Foundation
import Testing

struct FreezingTests {
    @Test func `freezing twice and from several threads returns one layout`() async throws {
        let model = bookmarks()
        let layouts = try await withThrowingTaskGroup(of: ModelLayout.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try model.freeze()
                    return model.layout
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(layouts.allSatisfy { $0 === layouts[0] })
        #expect(model.isFrozen)
    }

    @Test func `a model with findings stays mutable`() throws {
        let thing = entity("Thing", [attribute("size", .undefinedAttributeType)])
        let model = model([thing])
        #expect(throws: ModelError.self) { try model.freeze() }
        thing.attributesByName["size"]?.attributeType = .doubleAttributeType
        try model.freeze()
        #expect(thing.layout.values.map(\.kind) == [.double])
    }

    @Test func `a change after freezing ends the program with the member's name`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let entity = NSEntityDescription()
            entity.name = "A"
            let model = NSManagedObjectModel()
            model.entities = [entity]
            try model.freeze()
            entity.name = "B"
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Can't modify an immutable model: NSEntityDescription.name was set"))
    }

    @Test func `a copy of a frozen model can be changed and freezes to an equal layout`() throws {
        let model = bookmarks()
        model.versionIdentifiers = ["v1"]
        model.setEntities(model.entities, forConfigurationName: "All")
        let bookmark = try #require(model.entitiesByName["BookmarkEntity"])
        let url = try #require(bookmark.propertiesByName["url"])
        bookmark.indexes = [
            NSFetchIndexDescription(
                name: "byURL",
                elements: [NSFetchIndexElementDescription(property: url, collationType: .binary)])
        ]
        try model.freeze()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(!copy.isFrozen)
        let copied = try #require(copy.entitiesByName["BookmarkEntity"])
        #expect(copied !== bookmark)
        let children = try #require(copied.relationshipsByName["children"])
        #expect(children.destinationEntity === copied)
        #expect(children.inverseRelationship === copied.relationshipsByName["parent"])
        #expect(copied.indexes.first?.elements.first?.property === copied.propertiesByName["url"])
        #expect(copy.entities(forConfigurationName: "All")?.first === copied)
        #expect(copy.versionIdentifiers == ["v1"])
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        copied.properties += [attribute("note")]
        try copy.freeze()
        #expect(copied.layout.values.count == bookmark.layout.values.count + 1)
    }

    @Test func `default values of a type have one form`() throws {
        func constant(_ value: Any, _ type: NSAttributeType) -> AttributeConstant? {
            let attribute = attribute("x", type)
            attribute.defaultValue = value
            return attribute.defaultConstant
        }
        #expect(constant(5, .integer16AttributeType) == .integer(5))
        #expect(constant(NSNumber(value: Int64.max), .integer64AttributeType) == .integer(.max))
        #expect(constant(Int32(-7), .integer32AttributeType) == .integer(-7))
        #expect(constant(40_000, .integer16AttributeType) == nil)
        #expect(constant(1.5, .integer16AttributeType) == nil)
        #expect(constant("5", .integer16AttributeType) == nil)
        #expect(constant(true, .booleanAttributeType) == .boolean(true))
        #expect(constant(0, .booleanAttributeType) == .boolean(false))
        #expect(constant(2, .booleanAttributeType) == nil)
        #expect(constant(1, .doubleAttributeType) == .double(1))
        #expect(constant(Decimal(3) / 2, .decimalAttributeType) == .decimal(Decimal(3) / 2))
        #expect(constant(NSString("x"), .stringAttributeType) == .string("x"))
        #expect(
            constant(NSDate(timeIntervalSinceReferenceDate: 0), .dateAttributeType)
                == .date(Date(timeIntervalSinceReferenceDate: 0)))
        #expect(constant(Data([1]), .binaryDataAttributeType) == .data(Data([1])))
    }
}
