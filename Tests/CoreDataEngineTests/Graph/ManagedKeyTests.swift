import CoreDataModel
import CoreDataPredicate
import Foundation
import Testing

@testable import CoreDataEngine

/// A class of two entities, in which its properties have different slots. Its accessors use keys,
/// as the rewriter and the code generator write them.
final class KeyedThing: NSManagedObject {
    private static let nameKey = ManagedKey("name")
    private static let sizeKey = ManagedKey("size")
    private static let dateKey = ManagedKey("date")
    private static let flagKey = ManagedKey("flag")
    private static let ownerKey = ManagedKey("owner")
    private static let partsKey = ManagedKey("parts")
    private static let missingKey = ManagedKey("nothing")

    var name: String? {
        get { managedValue(Self.nameKey) }
        set { setManagedValue(Self.nameKey, newValue) }
    }
    var size: Int64 {
        get { managedValue(Self.sizeKey) }
        set { setManagedValue(Self.sizeKey, newValue) }
    }
    var sizeNumber: NSNumber? {
        get { managedValue(Self.sizeKey) }
        set { setManagedValue(Self.sizeKey, newValue) }
    }
    var date: Date? {
        get { managedValue(Self.dateKey) }
        set { setManagedValue(Self.dateKey, newValue) }
    }
    var flag: Bool {
        get { managedValue(Self.flagKey) }
        set { setManagedValue(Self.flagKey, newValue) }
    }
    var owner: KeyedThing? {
        get { managedValue(Self.ownerKey) }
        set { setManagedValue(Self.ownerKey, newValue) }
    }
    var parts: Set<KeyedThing>? {
        get { managedValue(Self.partsKey) }
        set { setManagedValue(Self.partsKey, newValue) }
    }
    var partSet: NSSet? { managedValue(Self.partsKey) }
    var primitiveName: String? {
        get { managedPrimitiveValue(Self.nameKey) }
        set { setManagedPrimitiveValue(Self.nameKey, newValue) }
    }
    var primitiveSize: Int64 {
        get { managedPrimitiveValue(Self.sizeKey) }
        set { setManagedPrimitiveValue(Self.sizeKey, newValue) }
    }
    var primitiveParts: NSSet? { managedPrimitiveValue(Self.partsKey) }
    var anyName: Any? {
        get { managedObjectValue(Self.nameKey) }
        set { setManagedValue(Self.nameKey, newValue) }
    }
    var anyParts: NSObject? { managedObjectValue(Self.partsKey) }

    func add(_ part: KeyedThing) { addMember(part, Self.partsKey) }
    func remove(_ part: KeyedThing) { removeMember(part, Self.partsKey) }
    func add(_ parts: Set<KeyedThing>) { addMembers(parts, Self.partsKey) }
    func remove(_ parts: [KeyedThing]) { removeMembers(parts, Self.partsKey) }
}

/// Accessors find a property by its name and remember its slot.
@Suite struct ManagedKeyTests {
    private static func model() -> NSManagedObjectModel {
        func attributes(_ more: [NSAttributeDescription]) -> [NSAttributeDescription] {
            more + [
                GraphModels.text("name"), GraphModels.number("size"),
                GraphModels.attribute("date", .dateAttributeType),
                GraphModels.attribute("flag", .booleanAttributeType),
            ]
        }
        let first = GraphModels.entity("First", attributes([]), KeyedThing.self)
        // The additional attributes give every property a different slot.
        let second = GraphModels.entity(
            "Second", attributes([GraphModels.text("a"), GraphModels.text("b")]), KeyedThing.self)
        for entity in [first, second] {
            GraphModels.relate(
                .init(owner: entity, name: "owner"),
                .init(owner: entity, name: "parts", toMany: true))
        }
        return GraphModels.model([first, second])
    }

    @Test func `a key finds the slot of each entity and of each model`() throws {
        for _ in 0..<3 {
            let stack = try GraphStack(Self.model())
            let context = stack.context()
            try context.on {
                for name in ["First", "Second", "First"] {
                    let thing = try #require(context.make(name) as? KeyedThing)
                    thing.name = "n"
                    thing.size = 7
                    thing.date = Date(timeIntervalSinceReferenceDate: 3)
                    thing.flag = true
                    #expect(thing.value(forKey: "size") as? Int == 7)
                    #expect(thing.sizeNumber == 7)
                    thing.sizeNumber = 9
                    #expect(thing.size == 9 && thing.hasChanges)
                }
                try context.save()
                context.reset()
                for name in ["First", "Second"] {
                    let found = try context.all(name).compactMap { $0 as? KeyedThing }
                    #expect(found.allSatisfy { $0.name == "n" && $0.size == 9 && $0.flag })
                    #expect(found.first?.date?.timeIntervalSinceReferenceDate == 3)
                    let isFault = found.first?.isFault
                    #expect(isFault == false)
                }
            }
        }
    }

    @Test(arguments: ["First", "Second"])
    func `members and inverses can be used by keys`(entity: String) throws {
        let stack = try GraphStack(Self.model())
        let context = stack.context()
        try context.on {
            let things = try (0..<3).map { _ in
                try #require(context.make(entity) as? KeyedThing)
            }
            things[0].add(things[1])
            things[2].owner = things[0]
            #expect(things[0].parts == [things[1], things[2]] && things[1].owner === things[0])
            things[0].remove(things[1])
            #expect(things[1].owner == nil && things[0].partSet?.count == 1)
            things[0].parts = [things[1]]
            #expect(things[2].owner == nil && things[1].owner === things[0])
            try context.save()
            context.refreshAllObjects()
            #expect(things[0].parts == [things[1]] && things[2].name == nil && things[2].size == 0)
        }
    }

    @Test func `accessors of primitive values and of any type can be used by keys`() throws {
        let stack = try GraphStack(Self.model())
        let context = stack.context()
        try context.on {
            let thing = try #require(context.make("First") as? KeyedThing)
            #expect(thing.primitiveSize == 0 && thing.primitiveName == nil)
            thing.primitiveName = "p"
            thing.primitiveSize = 4
            #expect(thing.name == "p" && thing.size == 4)
            thing.anyName = "any"
            #expect(thing.primitiveName == "any" && thing.anyName as? String == "any")
            let parts = Set(
                try (0..<2).map { _ in
                    try #require(context.make("First") as? KeyedThing)
                })
            thing.add(parts)
            #expect(thing.primitiveParts == parts as NSSet)
            #expect((thing.anyParts as? NSSet)?.count == 2)
            thing.remove(Array(parts))
            #expect(thing.parts == [])
            thing.primitiveName = nil
            #expect(thing.anyName == nil)
        }
    }
}
