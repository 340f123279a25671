import CoreData
import CoreDataEngine

/// Compares a context with the reference graph.
struct Comparison {
    typealias Identity = ReferenceGraph.Identity

    let engine: EngineGraph
    let number: Int
    let expected: ReferenceGraph
    /// Whether unsaved changes make the context different from its parent or store.
    let differs: Bool

    private var context: NSManagedObjectContext { engine.contexts[number] }

    func run(_ changes: ReferenceChanges) throws {
        try context.performAndWait {
            context.processPendingChanges()
            for kind in ReferenceGraph.Kind.allCases { try compare(kind) }
            try compareChanges(changes)
        }
    }

    private func compare(_ kind: ReferenceGraph.Kind) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: kind.entityName)
        let fetched = try context.fetch(request)
        var found: Set<Identity> = []
        for object in fetched {
            guard let identity = Self.identity(of: object) else {
                throw Failure("context \(number) fetched \(object.objectID) without identity")
            }
            guard found.insert(identity).inserted else {
                throw Failure("context \(number) fetched #\(identity) twice")
            }
            if let held = engine.handles[number][identity], held.managedObjectContext != nil,
                held !== object
            {
                throw Failure(
                    "context \(number) has two objects for #\(identity): \(held.objectID) and "
                        + "\(object.objectID)")
            }
            engine.handles[number][identity] = object
            try compare(object, identity)
        }
        let wanted = Set(expected.identities(kind))
        guard found == wanted else {
            throw Failure(
                "context \(number) fetches \(kind)s \(found.sorted()), not \(wanted.sorted())")
        }
        let count = try context.count(for: request)
        guard count == wanted.count else {
            throw Failure("context \(number) counts \(count) \(kind)s, not \(wanted.count)")
        }
    }

    private func compare(_ object: NSManagedObject, _ identity: Identity) throws {
        guard let row = expected.rows[identity] else { return }
        let number = (object.value(forKey: "number") as? NSNumber)?.intValue
        try expect(number, row.number, "#\(identity).number")
        let text = (object.value(forKey: "text") as? String).flatMap { Int($0) }
        try expect(text, row.text, "#\(identity).text")
        switch row.kind {
        case .author:
            try expect(
                members(object, "books"), expected.works(of: identity, .book), "#\(identity).books")
            try expect(
                members(object, "notes"), expected.works(of: identity, .note), "#\(identity).notes")
        case .book, .note:
            let author = object.value(forKey: "author") as? NSManagedObject
            try expect(
                author.flatMap(Self.identity), row.author, "#\(identity).author")
            if row.kind == .book {
                try expect(
                    members(object, "tags"), expected.tags(of: identity), "#\(identity).tags")
            }
        case .tag:
            try expect(members(object, "books"), expected.books(of: identity), "#\(identity).books")
        }
    }

    private func expect<T: Equatable>(_ value: T, _ wanted: T, _ path: String) throws {
        if value != wanted {
            throw Failure("\(path) is \(value) in context \(number), not \(wanted)")
        }
    }

    private func members(_ object: NSManagedObject, _ key: String) -> Set<Identity> {
        Set(Self.list(object, key))
    }

    /// The members of a relationship, in order if the relationship is ordered.
    static func list(_ object: NSManagedObject, _ key: String) -> [Identity] {
        let value = object.value(forKey: key)
        let ordered = (value as? NSOrderedSet)?.array as? [NSManagedObject]
        let members = ordered ?? (value as? Set<NSManagedObject>).map(Array.init) ?? []
        return members.map { identity(of: $0) ?? -1 }
    }

    static func identity(of object: NSManagedObject) -> Identity? {
        (object.value(forKey: "identity") as? NSNumber)?.intValue
    }

    private func compareChanges(_ changes: ReferenceChanges) throws {
        let inserted = Set(context.insertedObjects.compactMap(Self.identity))
        try expect(inserted, Set(changes.inserted.keys), "insertedObjects")
        for identity in changes.deleted {
            guard let object = engine.handles[number][identity] else { continue }
            try expect(context.deletedObjects.contains(object), true, "#\(identity) is deleted")
        }
        if differs { try expect(context.hasChanges, true, "hasChanges") }
    }
}

extension EngineGraph {
    /// Checks the invariants of a context without firing a fault.
    ///
    /// - Parameter isCurrent: whether the context has merged its parent's changes. A context that
    ///   has not merged them may show links to deleted objects.
    func checkInvariants(of number: Int, isCurrent: Bool) throws {
        let context = contexts[number]
        try context.performAndWait {
            context.processPendingChanges()
            let registered = context.registeredObjects
            guard Set(registered.map(\.objectID)).count == registered.count else {
                throw Failure("context \(number) has two objects with one id")
            }
            for object in registered {
                guard object.managedObjectContext === context else {
                    throw Failure("\(object.objectID) is registered in a context not its own")
                }
                guard context.registeredObject(for: object.objectID) === object else {
                    throw Failure("\(object.objectID) is not found by its id in context \(number)")
                }
                if isCurrent, !object.isFault, !object.isDeleted {
                    try checkLinks(of: object, number)
                }
            }
            try checkSets(of: context, number)
        }
    }

    private func checkSets(of context: NSManagedObjectContext, _ number: Int) throws {
        let inserted = context.insertedObjects
        let updated = context.updatedObjects
        let deleted = context.deletedObjects
        guard inserted.isDisjoint(with: updated), inserted.isDisjoint(with: deleted),
            updated.isDisjoint(with: deleted)
        else { throw Failure("an object of context \(number) is in two change sets") }
        guard inserted.union(updated).union(deleted).isSubset(of: context.registeredObjects) else {
            throw Failure("a changed object of context \(number) is not registered")
        }
    }

    /// Checks that both ends of loaded links agree, and that no end is a deleted object.
    private func checkLinks(of object: NSManagedObject, _ number: Int) throws {
        for (name, relationship) in object.entity.relationshipsByName {
            guard !object.hasFault(forRelationshipNamed: name),
                let inverse = relationship.inverseRelationship?.name
            else { continue }
            for member in Self.destinations(of: object, name) where !member.isFault {
                guard !member.isDeleted else {
                    throw Failure(
                        "\(object.objectID).\(name) leads to the deleted \(member.objectID)")
                }
                if member.hasFault(forRelationshipNamed: inverse) { continue }
                guard Self.destinations(of: member, inverse).contains(object) else {
                    throw Failure(
                        "\(object.objectID).\(name) has \(member.objectID), whose \(inverse) does "
                            + "not have it, in context \(number)")
                }
            }
        }
    }

    private static func destinations(
        of object: NSManagedObject, _ name: String
    ) -> Set<NSManagedObject> {
        switch object.primitiveValue(forKey: name) {
        case let set as Set<NSManagedObject>: set
        case let list as NSOrderedSet: Set(list.array as? [NSManagedObject] ?? [])
        case let one as NSManagedObject: [one]
        default: []
        }
    }
}
