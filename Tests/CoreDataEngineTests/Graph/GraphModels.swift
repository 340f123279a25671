import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Testing

/// Short functions that build models, and the models that several suites use.
enum GraphModels {
    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    static func text(_ name: String) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .stringAttributeType
        attribute.isOptional = true
        return attribute
    }

    static func number(_ name: String, default value: Int? = nil) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .integer64AttributeType
        attribute.isOptional = true
        attribute.defaultValue = value.map { NSNumber(value: $0) }
        return attribute
    }

    static func entity(
        _ name: String, _ attributes: [NSAttributeDescription],
        _ objectClass: NSManagedObject.Type = NSManagedObject.self
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = NSStringFromClass(objectClass)
        entity.properties = attributes
        return entity
    }

    struct End {
        var owner: NSEntityDescription
        var name: String
        var toMany = false
        var ordered = false
        var rule = NSDeleteRule.nullifyDeleteRule
    }

    static func relationship(_ end: End, to other: NSEntityDescription) -> NSRelationshipDescription
    {
        let made = NSRelationshipDescription()
        made.name = end.name
        made.destinationEntity = other
        made.minCount = 0
        made.maxCount = end.toMany ? 0 : 1
        made.isOrdered = end.ordered
        made.isOptional = true
        made.deleteRule = end.rule
        return made
    }

    static func relate(_ one: End, _ other: End) {
        let first = relationship(one, to: other.owner)
        let second = relationship(other, to: one.owner)
        first.inverseRelationship = second
        second.inverseRelationship = first
        one.owner.properties += [first]
        other.owner.properties += [second]
    }

    static func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    /// A model of items with four strings and four to-one relationships without inverse. The names
    /// of these properties state which contexts change them.
    static func conflict() -> NSManagedObjectModel {
        let place = entity("Place", [text("name")])
        let names = ["both", "mine", "theirs", "none"]
        let item = entity("Item", names.map(text))
        for name in names {
            item.properties += [relationship(End(owner: item, name: name + "Place"), to: place)]
        }
        return model([place, item])
    }

    /// A model of moods and countries. The code of a country is unique.
    static func moody() -> NSManagedObjectModel {
        let country = entity("Country", [text("code"), text("name"), number("count")])
        country.uniquenessConstraints = [["code"]]
        let mood = entity("Mood", [text("colour")])
        relate(
            End(owner: country, name: "moods", toMany: true), End(owner: mood, name: "country"))
        return model([country, mood])
    }

    static func relationships() -> NSManagedObjectModel {
        let owner = entity("Owner", [text("name")])
        let animal = entity("Animal", [text("name")])
        animal.isAbstract = true
        let cat = entity("Cat", [number("lives")])
        let dog = entity("Dog", [text("trick")])
        animal.subentities = [cat, dog]
        relate(End(owner: owner, name: "pets", toMany: true), End(owner: animal, name: "owner"))
        relate(End(owner: owner, name: "favourite"), End(owner: animal, name: "favouriteOf"))
        let list = entity("List", [text("name")])
        let track = entity("Track", [text("name")])
        relate(
            End(owner: list, name: "tracks", toMany: true, ordered: true),
            End(owner: track, name: "list"))
        relate(
            End(owner: list, name: "hits", toMany: true, ordered: true),
            End(owner: track, name: "hitOf", toMany: true))
        relate(
            End(owner: list, name: "tags", toMany: true),
            End(owner: track, name: "taggedBy", toMany: true))
        let node = entity("Node", [text("name")])
        relate(
            End(owner: node, name: "children", toMany: true, rule: .cascadeDeleteRule),
            End(owner: node, name: "parent"))
        return model([owner, animal, cat, dog, list, track, node])
    }

    /// A model in which a whole has many parts. Both ends of the relationship have a delete rule.
    static func rules(_ owner: NSDeleteRule, _ part: NSDeleteRule) -> NSManagedObjectModel {
        let whole = entity("Whole", [text("name")])
        let piece = entity("Part", [text("name")])
        relate(
            End(owner: whole, name: "parts", toMany: true, rule: owner),
            End(owner: piece, name: "whole", rule: part))
        return model([whole, piece])
    }
}

/// A coordinator with one store in memory or in a file. It counts statements and faults.
final class GraphStack {
    let coordinator: NSPersistentStoreCoordinator
    let counters = Counters()

    init(
        _ model: NSManagedObjectModel, at url: URL? = nil, type: String = NSSQLiteStoreType,
        options: [AnyHashable: Any]? = nil
    ) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: options)
        coordinator.trace.add(counters)
    }

    func context(
        _ policy: NSMergePolicy = .error, name: String? = nil
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: SteppedQueue(label: name ?? "c"))
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = policy
        return context
    }

    /// Makes the engine fail at a point; nil turns the failures off.
    func fail(at wanted: FaultPoint?) {
        guard let wanted else { return coordinator.faultPoints.handler = nil }
        coordinator.faultPoints.handler = { point throws(CoreDataError) in
            if point == wanted { throw CoreDataError(.storeOperation, "injected at \(point)") }
        }
    }

    /// The number of SELECT statements since the last call.
    func selects() -> Int {
        defer { counters.reset() }
        return counters.current.statements[.select] ?? 0
    }
}

final class GraphFolder {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("graph-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var store: URL { url.appendingPathComponent("store.sqlite") }
}

extension NSManagedObjectContext {
    func child(name: String = "child") -> NSManagedObjectContext {
        let child = NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: SteppedQueue(label: name))
        child.parent = self
        return child
    }

    var stepped: SteppedQueue? { queue as? SteppedQueue }

    @discardableResult
    func make(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    func all(
        _ entity: String, _ format: String? = nil, _ arguments: [Any] = [], sort: String? = nil,
        _ adjust: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let format { request.predicate = NSPredicate(format: format, argumentArray: arguments) }
        if let sort { request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)] }
        adjust(request)
        return try fetch(request)
    }

    /// Runs the body on the queue of the context.
    func on<T>(_ body: () throws -> T) throws -> T {
        try performAndWait { () throws(any Error) -> T in try body() }
    }

    /// The error of a save; nil if the save succeeds.
    func saveError() -> NSError? {
        do {
            try save()
            return nil
        } catch {
            return error as NSError
        }
    }
}

extension NSManagedObject {
    func text(_ key: String) -> String? { value(forKey: key) as? String }

    func object(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }

    func names(_ key: String) -> [String] {
        let members: [Any]
        switch value(forKey: key) {
        case let set as NSOrderedSet: members = set.array
        case let set as NSSet: members = set.allObjects
        default: return ["not a set"]
        }
        let names = members.compactMap { ($0 as? NSManagedObject)?.text("name") }
        return value(forKey: key) is NSOrderedSet ? names : names.sorted()
    }
}

/// A value that an observer sets.
///
/// `@unchecked Sendable` because only the thread of its test uses it.
final class Box<T>: @unchecked Sendable {
    var value: T

    init(_ value: T) { self.value = value }
}
