import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import Testing

@testable import CoreDataEngine

/// A class with a list of keyed members, as the rewriter writes it.
class Keyed: NSManagedObject {
    enum Size: Int { case small, large }

    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
    var loud: String? {
        get { name?.uppercased() }
        set { name = newValue?.lowercased() }
    }
    var isShort: Bool { (name ?? "").count < 4 }
    var size = Size.small
    func validateName(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard let text = value.pointee as? String else { return }
        if text == "bad" { throw CocoaError(.validationStringPatternMatching) }
        if text.hasSuffix(".") { value.pointee = String(text.dropLast()) as NSString }
    }

    override class var keyedMembers: [KeyedMember] {
        super.keyedMembers + [
            .property("loud", of: Keyed.self, get: { $0.loud }, set: { $0.loud = $1 }),
            .property("isShort", of: Keyed.self, get: { $0.isShort }),
            .property("size", of: Keyed.self, get: { $0.size }, set: { $0.size = $1 }),
            .validator("name", of: Keyed.self, { try $0.validateName($1) }),
            .validator("nothing", of: Keyed.self, { try $0.validateName($1) }),
        ]
    }
}

/// Overrides a property. Its list contains a validator, in addition to the validation method.
final class KeyedBelow: Keyed {
    override var loud: String? {
        get { super.loud.map { $0 + "!" } }
        set { super.loud = newValue }
    }
    override class var propertyValidators: [String: PropertyValidator] {
        ["name": { _, value in value = (value as? String)?.trimmingCharacters(in: .whitespaces) }]
    }
    override class var keyedMembers: [KeyedMember] {
        super.keyedMembers + [.property("rank", of: KeyedBelow.self, get: { _ in 7 })]
    }
}

/// A class with a custom accessor for a property of the model.
final class KeyedAccessor: NSManagedObject {
    var title: String? {
        get { (primitiveValue(forKey: "title") as? String).map { "<\($0)>" } }
        set {
            willChangeValue(forKey: "title")
            setPrimitiveValue(newValue?.uppercased(), forKey: "title")
            didChangeValue(forKey: "title")
        }
    }
    override class var keyedMembers: [KeyedMember] {
        [.property("title", of: KeyedAccessor.self, get: { $0.title }, set: { $0.title = $1 })]
    }
}

/// Key-value coding and saves call these members by name.
@Suite struct KeyedMemberTests {
    static let stores = [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType]

    private func context(_ type: String = NSInMemoryStoreType) throws -> NSManagedObjectContext {
        let above = GraphModels.entity("Keyed", [GraphModels.text("name")], Keyed.self)
        let below = GraphModels.entity("Below", [], KeyedBelow.self)
        above.subentities = [below]
        let model = GraphModels.model([above, below])
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("keyed-\(UUID().uuidString)")
        let stack = try GraphStack(model, at: type == NSBinaryStoreType ? file : nil, type: type)
        return stack.context()
    }

    @Test func `value(forKey:) reads and sets the members that the class lists`() throws {
        let context = try context()
        try context.on {
            let object = try #require(context.make("Keyed") as? Keyed)
            #expect(object.value(forKey: "loud") == nil)
            object.setValue("ABC", forKey: "loud")
            #expect(object.name == "abc" && object.value(forKey: "loud") as? String == "ABC")
            #expect(object.value(forKey: "isShort") as? Bool == true)
            #expect(object.value(forKey: "short") as? NSNumber == true)
            object.setValue(1, forKey: "size")
            #expect(object.size == .large && object.value(forKey: "size") as? Int == 1)
            object.setValue(nil, forKey: "loud")
            #expect(object.name == nil && object.value(forKeyPath: "self.loud") == nil)
            let below = try #require(context.make("Below") as? KeyedBelow)
            below.name = "x"
            #expect(below.value(forKey: "loud") as? String == "X!")
            #expect(below.value(forKey: "rank") as? Int == 7)
        }
    }

    @Test func `a member that is not listed, has no setter or has another type is an error`() throws
    {
        let context = try context()
        try context.on {
            let object = try #require(context.make("Keyed") as? Keyed)
            for (key, value) in [("rank", 1), ("isShort", true), ("size", "x"), ("nothing", 1)]
                as [(String, Any)]
            {
                let error = #expect(throws: CoreDataError.self) {
                    try object.writeValue(value, forKey: key)
                }
                #expect("\(error as Any)".contains("\"\(key)\"") || "\(error as Any)".contains(key))
            }
            #expect(throws: CoreDataError.self) { try object.readValue(forKey: "nothing") }
        }
    }

    @Test func `an object without a context reads them too`() throws {
        let context = try context()
        try context.on {
            let entity = try #require(
                NSEntityDescription.entity(forEntityName: "Keyed", in: context))
            let object = Keyed(entity: entity, insertInto: NSManagedObjectContext?.none)
            object.name = "q"
            #expect(object.value(forKey: "loud") as? String == "Q")
        }
    }

    @Test(arguments: stores)
    func `a save validates by methods, in parents and children`(type: String) throws {
        let context = try context(type)
        let child = NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: SteppedQueue(label: "child"))
        child.parent = context
        try child.on {
            let object = try #require(child.make("Keyed") as? Keyed)
            object.name = "a."
            let below = try #require(child.make("Below") as? KeyedBelow)
            below.name = " b. "
            try child.save()
            #expect(object.name == "a" && below.name == "b")
            object.name = "bad"
            #expect(throws: (any Error).self) { try child.save() }
            object.name = nil
            try child.save()
        }
        try context.on {
            try context.save()
            let all = try context.all("Keyed").compactMap { ($0 as? Keyed)?.loud }
            #expect(all == ["B!"])
        }
    }

    @Test func `key-value coding calls a custom accessor of the class`() throws {
        let entity = GraphModels.entity("Own", [GraphModels.text("title")], KeyedAccessor.self)
        let plain = GraphModels.entity("Plain", [GraphModels.text("title")])
        let stack = try GraphStack(GraphModels.model([entity, plain]))
        let context = stack.context()
        try context.on {
            let object = try #require(context.make("Own") as? KeyedAccessor)
            object.setValue("a", forKey: "title")
            #expect(object.primitiveValue(forKey: "title") as? String == "A")
            #expect(object.value(forKey: "title") as? String == "<A>")
            #expect(NSPredicate(format: "title == '<A>'").evaluate(with: object))
            let other = context.make("Plain")
            other.setValue("a", forKey: "title")
            #expect(other.value(forKey: "title") as? String == "a")
            try context.save()
            context.refreshAllObjects()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Own")
            request.predicate = NSPredicate(format: "title == 'A'")
            #expect(try context.fetch(request) == [object])
        }
    }

    @Test func `orders, predicates and sections in memory use keyed members, stores refuse them`()
        throws
    {
        let context = try context(NSSQLiteStoreType)
        try context.on {
            for name in ["bb", "a", "long"] {
                (context.make("Keyed") as? Keyed)?.name = name
            }
            try context.save()
            let all = try context.all("Keyed")
            let short = NSPredicate(format: "isShort == YES AND loud != 'A'")
            #expect(all.filter { short.evaluate(with: $0) }.count == 1)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Keyed")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context,
                sectionNameKeyPath: "loud", cacheName: nil)
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["A", "BB", "LONG"])
            request.predicate = short
            #expect(throws: (any Error).self) { try context.fetch(request) }
        }
    }
}
