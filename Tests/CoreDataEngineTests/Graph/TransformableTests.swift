import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization
import Testing

private final class Colour: NSObject {
    let name: String

    init(_ name: String) { self.name = name }

    override func isEqual(_ object: Any?) -> Bool { (object as? Colour)?.name == name }
}

/// Counts its calls. Each test creates its own instance.
///
/// `@unchecked Sendable` because a lock guards the counters.
private final class ColourTransformer: ValueTransformer, @unchecked Sendable {
    let counts = Mutex((made: 0, read: 0))

    override class func transformedValueClass() -> AnyClass { NSData.self }

    override func transformedValue(_ value: Any?) -> Any? {
        counts.withLock { $0.made += 1 }
        return (value as? Colour).map { Data($0.name.utf8) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        counts.withLock { $0.read += 1 }
        return (value as? Data).map { Colour(String(decoding: $0, as: UTF8.self)) }
    }
}

/// A transformer that is found by its class name, because none is registered under this name.
/// Source: semantics.md, "Transformable attributes".
final class TransformerByClass: ValueTransformer {
    override class func allowsReverseTransformation() -> Bool { true }
}

@Suite struct TransformableTests {
    private let folder: GraphFolder
    private let transformer = ColourTransformer()
    private let name = "Colour \(UUID().uuidString)"

    init() throws {
        folder = try GraphFolder()
        ValueTransformer.setValueTransformer(
            transformer, forName: NSValueTransformerName(name))
    }

    private func model(_ transformerName: String?) -> NSManagedObjectModel {
        let colour = GraphModels.attribute("colour", .transformableAttributeType)
        colour.valueTransformerName = transformerName
        let state = GraphModels.attribute("state", .undefinedAttributeType)
        state.isTransient = true
        return GraphModels.model([
            GraphModels.entity("Thing", [GraphModels.text("name"), colour, state])
        ])
    }

    private func stack(
        _ type: String = NSSQLiteStoreType, transformer: String? = nil
    ) throws -> GraphStack {
        try GraphStack(
            model(transformer ?? name), at: type == NSInMemoryStoreType ? nil : folder.store,
            type: type)
    }

    static let types = [
        NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType,
    ]

    @Test(arguments: types)
    func `an object is read from every store, decoded once`(type: String) throws {
        let stack = try stack(type)
        let context = stack.context()
        try context.on {
            let red = Colour("red")
            let thing = context.make("Thing", ["colour": red])
            #expect(thing.value(forKey: "colour") as? Colour === red)
            try context.save()
            #expect(transformer.counts.withLock { $0.made } == 1)
            context.reset()
            let found = try #require(try context.all("Thing").first)
            #expect(transformer.counts.withLock { $0.read } == 0)
            let first = found.value(forKey: "colour") as? Colour
            #expect(first?.name == "red")
            #expect(found.value(forKey: "colour") as? Colour === first)
            #expect(transformer.counts.withLock { $0.read } == 1)
        }
    }

    @Test func `D-047 a value is decoded again after its save, once`() throws {
        let stack = try stack()
        let context = stack.context()
        try context.on {
            let red = Colour("red")
            let thing = context.make("Thing", ["colour": red])
            try context.save()
            let first = thing.value(forKey: "colour") as? Colour
            #expect(first == red && first !== red)
            #expect(thing.value(forKey: "colour") as? Colour === first)
        }
    }

    @Test(arguments: [
        "NSSecureUnarchiveFromDataTransformer", "NSSecureUnarchiveFromData",
        "NSKeyedUnarchiveFromDataTransformer", "TransformerByClass",
        "CoreDataEngineTests.TransformerByClass",
    ])
    func `a transformer is found by the name of its class`(name: String) {
        let found = ValueTransformer(forName: NSValueTransformerName(name))
        #expect(found != nil && found.map { type(of: $0).allowsReverseTransformation() } == true)
    }

    @Test(arguments: types)
    func `predicates compare objects, and dictionaries contain them`(type: String) throws {
        let stack = try stack(type)
        let context = stack.context()
        try context.on {
            for (name, colour) in [("a", "red"), ("b", "green"), ("c", "blue")] {
                context.make("Thing", ["name": name, "colour": Colour(colour)])
            }
            try context.save()
            func names(_ format: String, _ arguments: Any...) throws -> [String] {
                try context.all("Thing", format, arguments, sort: "name")
                    .compactMap { $0.text("name") }
            }
            let one = try names("colour == %@", Colour("green"))
            let others = try names("colour != %@ AND name != 'c'", Colour("green"))
            let some = try names("colour IN %@", [Colour("red"), Colour("blue")])
            #expect(one == ["b"] && others == ["a"] && some == ["a", "c"])
            let request = NSFetchRequest<NSDictionary>(entityName: "Thing")
            request.resultType = .dictionaryResultType
            request.predicate = NSPredicate(format: "name == 'a'")
            let found = try context.fetch(request)
            #expect((found.first?["colour"] as? Colour)?.name == "red")
            // Values of unsaved objects are compared in memory, also for a child context.
            context.make("Thing", ["name": "d", "colour": Colour("green")])
            let both = try names("colour == %@", Colour("green"))
            #expect(both == ["b", "d"])
        }
        let child = context.child()
        try child.on {
            let found = try child.all("Thing", "colour == %@", [Colour("green")], sort: "name")
            #expect(found.map { $0.text("name") } == ["b", "d"])
        }
    }

    @Test func `an object that is changed before the save is saved with that change`() throws {
        let stack = try stack(transformer: "NSSecureUnarchiveFromData")
        let context = stack.context()
        try context.on {
            let list = NSMutableArray(array: ["a"])
            context.make("Thing", ["colour": list])
            list.add("b")
            try context.save()
            context.reset()
            let found = try context.all("Thing").first?.value(forKey: "colour") as? NSArray
            #expect(found == ["a", "b"])
        }
    }

    @Test(arguments: [nil, "", "NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData"])
    func `the system's transformers read and write keyed archives`(name: String?) throws {
        let stack = try GraphStack(model(name), at: folder.store)
        let context = stack.context()
        try context.on {
            let values: [Any] = [
                ["a", "b"] as NSArray, ["key": 7] as NSDictionary, NSSet(array: ["x"]),
                Date(timeIntervalSinceReferenceDate: 9), UUID(), "text",
                URL(string: "https://example.org")! as NSURL, 3,
            ]
            for (number, value) in values.enumerated() {
                context.make("Thing", ["name": "\(number)", "colour": value])
            }
            try context.save()
            context.reset()
            for (number, value) in values.enumerated() {
                let found = try context.all("Thing", "name = %@", ["\(number)"]).first
                let object = try #require(found?.value(forKey: "colour") as? NSObject)
                #expect(object.isEqual(value), "\(value) comes back as \(object)")
            }
        }
    }

    @Test func `bytes that are not accessed stay unchanged, without a transformer`() throws {
        let first = try stack()
        let context = first.context()
        try context.on {
            context.make("Thing", ["name": "a", "colour": Colour("red")])
            try context.save()
        }
        ValueTransformer.setValueTransformer(nil, forName: NSValueTransformerName(name))
        let stack = try stack()
        let later = stack.context()
        try later.on {
            let thing = try #require(try later.all("Thing").first)
            thing.setValue("b", forKey: "name")
            try later.save()
            let lines = Mutex<[String]>([])
            EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
                #expect(thing.value(forKey: "colour") == nil)
                #expect(thing.value(forKey: "colour") == nil)
            }
            let told = lines.withLock { $0.filter { $0.contains(name) } }
            #expect(told.count == 1, "the log names attribute, entity and transformer, once")
            #expect(told.first?.contains("'colour' of 'Thing'") == true)
            thing.setValue(Colour("blue"), forKey: "colour")
            let error = try #require(later.saveError())
            #expect(error.code == 134_060 && error.localizedDescription.contains(name))
            later.rollback()
        }
        ValueTransformer.setValueTransformer(
            transformer, forName: NSValueTransformerName(name))
        try later.on {
            let thing = try #require(try later.all("Thing").first)
            #expect((thing.value(forKey: "colour") as? Colour)?.name == "red")
            #expect(thing.value(forKey: "name") as? String == "b")
        }
    }

    @Test(arguments: types)
    func `a child's object reaches the store through its parent`(type: String) throws {
        let stack = try stack(type)
        let parent = stack.context()
        let child = parent.child()
        try child.on {
            child.make("Thing", ["name": "a", "colour": Colour("red")])
            try child.save()
        }
        try parent.on {
            let thing = try #require(try parent.all("Thing").first)
            #expect((thing.value(forKey: "colour") as? Colour)?.name == "red")
            thing.setValue(Colour("green"), forKey: "colour")
        }
        try child.on {
            child.reset()
            let thing = try #require(try child.all("Thing").first)
            #expect((thing.value(forKey: "colour") as? Colour)?.name == "green")
            thing.setValue(Colour("blue"), forKey: "colour")
            try child.save()
        }
        try parent.on { try parent.save() }
        let other = stack.context()
        try other.on {
            let thing = try #require(try other.all("Thing").first)
            #expect((thing.value(forKey: "colour") as? Colour)?.name == "blue")
        }
    }

    @Test func `changed and committed values, undo, refresh and batches show objects`() throws {
        let stack = try stack()
        let context = stack.context()
        try context.on {
            context.undoManager = UndoManager()
            let thing = context.make("Thing", ["name": "a", "colour": Colour("red")])
            try context.save()
            context.undoManager?.removeAllActions()
            thing.setValue(Colour("blue"), forKey: "colour")
            context.processPendingChanges()
            #expect(thing.changedValues() as? [String: Colour] == ["colour": Colour("blue")])
            let committed = thing.committedValues(forKeys: ["colour"])
            #expect(committed["colour"] as? Colour == Colour("red"))
            context.undo()
            #expect(thing.value(forKey: "colour") as? Colour == Colour("red"))
            context.redo()
            #expect(thing.value(forKey: "colour") as? Colour == Colour("blue"))
            context.refresh(thing, mergeChanges: true)
            #expect(thing.value(forKey: "colour") as? Colour == Colour("blue"))
            context.refresh(thing, mergeChanges: false)
            #expect(thing.value(forKey: "colour") as? Colour == Colour("red"))
            let update = NSBatchUpdateRequest(entityName: "Thing")
            update.propertiesToUpdate = ["colour": Colour("grey")]
            _ = try context.execute(update)
            context.reset()
            let found = try context.all("Thing").first
            #expect((found?.value(forKey: "colour") as? Colour)?.name == "grey")
        }
    }

    @Test(arguments: types)
    func `a transient attribute without a type holds any object and is never stored`(
        type: String
    ) throws {
        let stack = try stack(type)
        let context = stack.context()
        try context.on {
            let held = Colour("held")
            let thing = context.make("Thing", ["name": "a", "state": held])
            #expect(thing.value(forKey: "state") as? Colour === held)
            thing.setValue(7, forKey: "state")
            #expect(thing.value(forKey: "state") as? Int == 7)
            thing.setValue(held, forKey: "state")
            try context.save()
            #expect(thing.changedValues().isEmpty)
            context.reset()
            let found = try #require(try context.all("Thing").first)
            #expect(found.value(forKey: "state") == nil)
            found.setPrimitiveValue(held, forKey: "state")
            #expect(found.primitiveValue(forKey: "state") as? Colour === held)
            #expect(!found.hasPersistentChangedValues)
        }
        let child = context.child()
        try child.on {
            let thing = child.make("Thing", ["state": Colour("child's")])
            try child.save()
            #expect(thing.value(forKey: "name") == nil)
        }
        try context.on { try context.save() }
    }

    @Test func `names and registration follow Foundation`() throws {
        let name = NSValueTransformerName(name)
        #expect(ValueTransformer(forName: name) === transformer)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        #expect(ValueTransformer(forName: NSValueTransformerName("nobody's")) == nil)
        let negated = ValueTransformer(forName: .negateBooleanTransformerName)
        #expect(negated?.transformedValue(true) as? Bool == false)
        let isNil = ValueTransformer(forName: .isNilTransformerName)
        #expect(isNil?.transformedValue(nil) as? Bool == true)
        let isNotNil = ValueTransformer(forName: .isNotNilTransformerName)
        #expect(isNotNil?.transformedValue(1) as? Bool == true)
        let secure = ValueTransformer(forName: .secureUnarchiveFromDataTransformerName)
        let data = secure?.reverseTransformedValue(["a"])
        #expect(secure?.transformedValue(data) as? NSArray == ["a"])
        #expect(secure?.transformedValue(Data([1, 2, 3])) == nil)
    }
}
