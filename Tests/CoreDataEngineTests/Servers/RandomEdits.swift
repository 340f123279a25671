import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// An edit in one of the contexts. Objects are named by their tags.
enum RandomEdit {
    case insert(entity: String, tag: Int, values: [String: Any])
    case set(tag: Int, key: String, value: Any?)
    case link(tag: Int, key: String, tags: [Int])
    case unlink(tag: Int, key: String)
    case delete(tag: Int)
    case refresh(tag: Int, merging: Bool)
    case save, rollback, refreshAll
}

/// A random sequence of edits in two contexts.
struct RandomEdits {
    private(set) var edits: [(context: Int, edit: RandomEdit)] = []
    private var random: RandomGraph
    private let model: NSManagedObjectModel
    private var objects: [(tag: Int, entity: NSEntityDescription)] = []

    init(_ random: RandomGraph, model: NSManagedObjectModel, count: Int) {
        self.random = random
        self.model = model
        for _ in 0..<count { edits.append((self.random.below(2), edit())) }
        edits += [(0, .save), (1, .save)]
    }

    private mutating func edit() -> RandomEdit {
        let roll = objects.isEmpty ? 0 : random.below(100)
        if roll < 20 { return insertion() }
        if roll < 78 {
            // Few objects are edited often, so that the contexts conflict.
            let object = random.pick(random.chance(60) ? Array(objects.prefix(6)) : objects)
            switch roll {
            case ..<45: return change(object.tag, object.entity)
            case ..<66: return link(object.tag, object.entity)
            case ..<73: return .delete(tag: object.tag)
            default: return .refresh(tag: object.tag, merging: random.chance(50))
            }
        }
        return roll < 95 ? .save : roll < 98 ? .rollback : .refreshAll
    }

    private mutating func insertion() -> RandomEdit {
        let entity = random.pick(model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") })
        let tag = objects.count + 1
        objects.append((tag, entity))
        var values: [String: Any] = [:]
        for attribute in Self.attributes(entity) {
            values[attribute.name] = random.value(attribute.attributeType)
        }
        return .insert(entity: entity.name ?? "", tag: tag, values: values)
    }

    private static func attributes(_ entity: NSEntityDescription) -> [NSAttributeDescription] {
        entity.attributesByName.values.filter { $0.name != "tag" }.sorted { $0.name < $1.name }
    }

    private mutating func change(_ tag: Int, _ entity: NSEntityDescription) -> RandomEdit {
        let attribute = random.pick(Self.attributes(entity))
        return .set(
            tag: tag, key: attribute.name, value: random.value(attribute.attributeType))
    }

    private mutating func link(_ tag: Int, _ entity: NSEntityDescription) -> RandomEdit {
        let relationships = entity.relationshipsByName.values.sorted { $0.name < $1.name }
        guard !relationships.isEmpty else { return change(tag, entity) }
        let relationship = random.pick(relationships)
        let others = objects.filter { object in
            relationship.destinationEntity.map(object.entity.isKindOf) ?? false
        }
        if others.isEmpty || random.chance(25) {
            return .unlink(tag: tag, key: relationship.name)
        }
        let count = relationship.isToMany ? 1 + random.below(4) : 1
        let tags = (0..<count).map { _ in random.pick(others).tag }
        return .link(tag: tag, key: relationship.name, tags: tags)
    }
}

/// Executes edits in two contexts with separate coordinators on one store.
final class EditedStore {
    private let stacks: [GraphStack]
    private let contexts: [NSManagedObjectContext]
    private let open: () throws -> GraphStack
    /// The saved objects.
    private var saved: [Int: URL] = [:]
    /// The objects that each context has inserted since its last save.
    private var inserted: [[Int: NSManagedObject]] = [[:], [:]]

    init(policies: [NSMergePolicy], open: @escaping () throws -> GraphStack) throws {
        self.open = open
        stacks = try policies.map { _ in try open() }
        contexts = zip(stacks, policies).map { $0.context($1) }
    }

    /// Executes an edit and describes its outcome.
    func outcome(_ edit: RandomEdit, in number: Int) -> String {
        do {
            return try contexts[number].on { try execute(edit, number, contexts[number]) }
        } catch {
            return Self.description(error as NSError)
        }
    }

    private static func description(_ error: NSError) -> String {
        let conflicts = error.userInfo["conflictList"] as? [NSObject] ?? []
        let lines = conflicts.map { conflict in
            switch conflict {
            case let conflict as NSMergeConflict:
                let versions = "\(conflict.oldVersionNumber) \(conflict.newVersionNumber)"
                return "\(tag(conflict.sourceObject)) \(versions)"
            case let conflict as NSConstraintConflict:
                return "\(conflict.constraint) \(conflict.conflictingObjects.map(tag).sorted())"
            default: return "\(conflict)"
            }
        }
        return "error \(error.code) \(lines.sorted())"
    }

    private static func tag(_ object: NSManagedObject) -> Int {
        object.value(forKey: "tag") as? Int ?? 0
    }

    private func object(
        _ tag: Int, _ number: Int, _ context: NSManagedObjectContext
    ) throws -> NSManagedObject? {
        if let object = inserted[number][tag] { return object.isDeleted ? nil : object }
        guard let url = saved[tag],
            let id = stacks[number].coordinator.managedObjectID(forURIRepresentation: url)
        else { return nil }
        let object = try context.existingObject(with: id)
        return object.isDeleted ? nil : object
    }

    private func execute(
        _ edit: RandomEdit, _ number: Int, _ context: NSManagedObjectContext
    ) throws -> String {
        switch edit {
        case .insert(let entity, let tag, let values):
            inserted[number][tag] = context.make(entity, values.merging(["tag": tag]) { $1 })
        case .set(let tag, let key, let value):
            try object(tag, number, context)?.setValue(value, forKey: key)
        case .link(let tag, let key, let tags):
            guard let owner = try object(tag, number, context) else { return "no object" }
            let others = try tags.compactMap { try object($0, number, context) }
            link(owner, key, others)
        case .unlink(let tag, let key):
            guard let owner = try object(tag, number, context) else { return "no object" }
            owner.setValue(nil, forKey: key)
        case .delete(let tag):
            guard let object = try object(tag, number, context) else { return "no object" }
            context.delete(object)
        case .refresh(let tag, let merging):
            guard inserted[number][tag] == nil,
                let object = try object(tag, number, context)
            else { return "no object" }
            context.refresh(object, mergeChanges: merging)
        case .save: return save(number, context)
        case .rollback:
            context.rollback()
            inserted[number] = [:]
        case .refreshAll: context.refreshAllObjects()
        }
        return "done"
    }

    private func link(_ owner: NSManagedObject, _ key: String, _ others: [NSManagedObject]) {
        let relationship = owner.entity.relationshipsByName[key]
        if relationship?.isToMany != true {
            owner.setValue(others.first, forKey: key)
        } else if relationship?.isOrdered == true {
            let members = owner.mutableOrderedSetValue(forKey: key)
            for other in others { members.add(other) }
        } else {
            let members = owner.mutableSetValue(forKey: key)
            for other in others { members.add(other) }
        }
    }

    private func save(_ number: Int, _ context: NSManagedObjectContext) -> String {
        if let error = context.saveError() {
            // A description reads inserted objects, so it is made before the rollback.
            let description = Self.description(error)
            context.rollback()
            inserted[number] = [:]
            return description
        }
        for (tag, object) in inserted[number] where !object.objectID.isTemporaryID {
            saved[tag] = object.objectID.uriRepresentation()
        }
        inserted[number] = [:]
        return "saved"
    }

    /// All objects, read by a new coordinator.
    func contents() throws -> [String] {
        let context = try open().context()
        return try context.on {
            let model = stacks[0].coordinator.managedObjectModel
            let roots = model.entities.filter { $0.superentity == nil }.compactMap(\.name).sorted()
            return try roots.flatMap { root in
                try context.all(root, sort: "tag").map(Self.description)
            }
        }
    }

    private static func description(_ object: NSManagedObject) -> String {
        let attributes = object.entity.attributesByName.keys.sorted().map { name in
            "\(name)=\(RandomGraph.description(object.value(forKey: name)))"
        }
        let relationships = object.entity.relationshipsByName.values.sorted { $0.name < $1.name }
        let members = relationships.map { relationship in
            let name = relationship.name
            if relationship.isOrdered {
                let list = object.mutableOrderedSetValue(forKey: name).array
                return "\(name)=\(list.compactMap { $0 as? NSManagedObject }.map(tag))"
            }
            if relationship.isToMany {
                let list = object.mutableSetValue(forKey: name).allObjects
                return "\(name)=\(list.compactMap { $0 as? NSManagedObject }.map(tag).sorted())"
            }
            return "\(name)=\((object.value(forKey: name) as? NSManagedObject).map(tag) ?? 0)"
        }
        return ([object.entity.name ?? ""] + attributes + members).joined(separator: " ")
    }
}
