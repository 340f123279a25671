import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import Testing

/// Tests that refresh objects, which discards their changes, and edit them again before the context
/// processes its pending changes.
@Suite struct DiscardingTests {
    /// The types of the stores, which must all have the same contents at the end.
    static let kinds = [
        NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType,
    ]

    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    private static func model(isOrdered: Bool) -> NSManagedObjectModel {
        let person = GraphModels.entity(
            "Person", [GraphModels.text("name"), GraphModels.number("n")])
        GraphModels.relate(
            .init(owner: person, name: "reports", toMany: true, ordered: isOrdered),
            .init(owner: person, name: "boss"))
        GraphModels.relate(
            .init(owner: person, name: "partner"), .init(owner: person, name: "partnerOf"))
        GraphModels.relate(
            .init(owner: person, name: "friends", toMany: true, ordered: isOrdered),
            .init(owner: person, name: "friendOf", toMany: true))
        return GraphModels.model([person])
    }

    /// Saves the people "a" to "d".
    private func people(
        _ kind: String, isOrdered: Bool = false
    ) throws -> (context: NSManagedObjectContext, people: [NSManagedObject]) {
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: Self.model(isOrdered: isOrdered))
        try coordinator.addPersistentStore(
            ofType: kind, configurationName: nil,
            at: kind == NSInMemoryStoreType ? nil : folder.store, options: nil)
        let context = context()
        context.persistentStoreCoordinator = coordinator
        let people = try context.on {
            let people = ["a", "b", "c", "d"].map { context.make("Person", ["name": $0]) }
            try context.save()
            return people
        }
        return (context, people)
    }

    private func context() -> NSManagedObjectContext {
        NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: SteppedQueue(label: "c"))
    }

    /// The links from both ends, as another context reads them. A link has the form "a.boss=b".
    private func links(_ context: NSManagedObjectContext) throws -> Set<String> {
        let reader = self.context()
        reader.persistentStoreCoordinator = context.persistentStoreCoordinator
        return try reader.on {
            var links: Set<String> = []
            for object in try reader.all("Person") {
                for (name, _) in object.entity.relationshipsByName {
                    for other in Self.destinations(object, name) {
                        links.insert("\(object.text("name")!).\(name)=\(other.text("name")!)")
                    }
                }
            }
            return links
        }
    }

    private static func destinations(_ object: NSManagedObject, _ key: String) -> [NSManagedObject]
    {
        switch object.value(forKey: key) {
        case let set as Set<NSManagedObject>: Array(set)
        case let list as NSOrderedSet: list.array as? [NSManagedObject] ?? []
        case let one as NSManagedObject: [one]
        default: []
        }
    }

    private static func add(_ member: NSManagedObject, to owner: NSManagedObject, _ key: String) {
        if owner.entity.relationshipsByName[key]?.isOrdered == true {
            owner.mutableOrderedSetValue(forKey: key).add(member)
        } else {
            owner.mutableSetValue(forKey: key).add(member)
        }
    }

    private static func remove(
        _ member: NSManagedObject, from owner: NSManagedObject, _ key: String
    ) {
        if owner.entity.relationshipsByName[key]?.isOrdered == true {
            owner.mutableOrderedSetValue(forKey: key).remove(member)
        } else {
            owner.mutableSetValue(forKey: key).remove(member)
        }
    }

    private static let combinations = kinds.flatMap { kind in [(kind, false), (kind, true)] }

    // MARK: Tests

    @Test(arguments: kinds)
    func `an edit after a refresh is saved once, under every policy`(_ kind: String) throws {
        let policies: [NSMergePolicy] = [.error, .overwrite, .rollback]
        let (context, people) = try people(kind)
        try context.on {
            for (round, policy) in policies.enumerated() {
                context.mergePolicy = policy
                people[0].setValue(round, forKey: "n")
                context.refresh(people[0], mergeChanges: false)
                people[0].setValue(round + 100, forKey: "n")
                #expect(context.updatedObjects == [people[0]])
                try context.save()
                #expect(people[0].value(forKey: "n") as? Int == round + 100)
                #expect(people[0].rowVersion == Int32(round) + 2 && !context.hasChanges)
            }
        }
    }

    @Test(arguments: kinds)
    func `a child can refer to an object that its parent has refreshed`(_ kind: String) throws {
        let (parent, people) = try people(kind)
        let child = context()
        child.parent = parent
        let ids = people.map(\.objectID)
        try parent.on {
            people[0].setValue(1, forKey: "n")
            parent.refresh(people[0], mergeChanges: false)
        }
        try child.on {
            let (first, second) = (child.object(with: ids[0]), child.object(with: ids[1]))
            first.setValue(5, forKey: "n")
            child.refresh(first, mergeChanges: false)
            first.setValue(second, forKey: "boss")
            try child.save()
        }
        try parent.on { try parent.save() }
        #expect(try links(parent) == ["a.boss=b", "b.reports=a"])
        try parent.on { #expect(people[0].value(forKey: "n") == nil) }
    }

    @Test(arguments: combinations)
    func `the row of the to-one side decides`(_ kind: String, _ isOrdered: Bool) throws {
        let (context, people) = try people(kind, isOrdered: isOrdered)
        let (a, b, c) = (people[0], people[1], people[2])
        try context.on {
            Self.add(a, to: b, "reports")
            context.refresh(a, mergeChanges: false)
            #expect(a.isFault && !context.hasChanges)
            #expect(a.value(forKey: "boss") == nil && Self.destinations(b, "reports").isEmpty)
            try context.save()
        }
        #expect(try links(context).isEmpty)
        try context.on {
            Self.add(a, to: b, "reports")
            try context.save()
            a.setValue(c, forKey: "boss")
            // The change is in the row of "a". Refreshing "b" and "c" keeps it, also in their
            // lists.
            for person in [b, c] { context.refresh(person, mergeChanges: false) }
            #expect(
                Self.destinations(b, "reports").isEmpty && Self.destinations(c, "reports") == [a])
            try context.save()
        }
        #expect(try links(context) == ["a.boss=c", "c.reports=a"])
    }

    @Test(arguments: combinations)
    func `D-045 a two-sided link stays until both ends were refreshed`(
        _ kind: String, _ isOrdered: Bool
    ) throws {
        let (context, people) = try people(kind, isOrdered: isOrdered)
        let (a, b, c, d) = (people[0], people[1], people[2], people[3])
        try context.on {
            Self.add(b, to: a, "friends")
            a.setValue(b, forKey: "partner")
            c.setValue(d, forKey: "partner")
            a.setValue(1, forKey: "n")
            context.refresh(a, mergeChanges: false)
            #expect(Self.destinations(a, "friends") == [b] && a.value(forKey: "n") == nil)
            #expect(a.value(forKey: "partner") as? NSManagedObject === b)
            try context.save()
        }
        let pair: Set = ["c.partner=d", "d.partnerOf=c"]
        #expect(
            try links(context).subtracting(pair) == [
                "a.friends=b", "b.friendOf=a", "a.partner=b", "b.partnerOf=a",
            ])
        try context.on {
            // "b" becomes the partner of "c", so "a" and "d" lose their partners. Both are then
            // refreshed.
            c.setValue(b, forKey: "partner")
            Self.remove(b, from: a, "friends")
            context.refresh(a, mergeChanges: false)
            context.refresh(d, mergeChanges: false)
            #expect(a.value(forKey: "partner") == nil && d.value(forKey: "partnerOf") == nil)
            try context.save()
        }
        #expect(try links(context) == ["c.partner=b", "b.partnerOf=c"])
    }

    @Test(arguments: kinds)
    func `a refresh does not bring back a link to a deleted object`(_ kind: String) throws {
        let (context, people) = try people(kind)
        let (a, b) = (people[0], people[1])
        try context.on {
            a.setValue(b, forKey: "boss")
            a.setValue(b, forKey: "partner")
            Self.add(a, to: b, "friends")
            try context.save()
            context.delete(b)
            context.processPendingChanges()
            context.refresh(a, mergeChanges: false)
            a.setValue(7, forKey: "n")
            #expect(a.value(forKey: "boss") == nil && a.value(forKey: "partner") == nil)
            try context.save()
            #expect(a.value(forKey: "n") as? Int == 7)
        }
        #expect(try links(context).isEmpty)
    }

    @Test(arguments: kinds)
    func `refresh, rollback, undo and redo keep both ends consistent`(_ kind: String) throws {
        let (context, people) = try people(kind)
        let (a, b, c) = (people[0], people[1], people[2])
        try context.on {
            context.undoManager = UndoManager()
            context.undoManager?.groupsByEvent = false
            context.undoManager?.beginUndoGrouping()
            Self.add(a, to: b, "reports")
            Self.add(c, to: b, "friends")
            context.refresh(a, mergeChanges: false)
            Self.add(a, to: c, "reports")
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
            context.undo()
            #expect(Self.destinations(c, "reports").isEmpty && a.value(forKey: "boss") == nil)
            context.redo()
            #expect(Self.destinations(c, "reports") == [a])
            #expect(Self.destinations(b, "reports").isEmpty)
            context.refresh(b, mergeChanges: false)
            context.refresh(c, mergeChanges: false)
            context.refreshAllObjects()
            try context.save()
        }
        #expect(
            try links(context) == ["a.boss=c", "c.reports=a", "b.friends=c", "c.friendOf=b"])
        try context.on {
            context.undoManager = nil
            Self.add(a, to: b, "reports")
            context.refresh(b, mergeChanges: false)
            context.rollback()
            #expect(!context.hasChanges && Self.destinations(b, "reports").isEmpty)
            #expect(Self.destinations(c, "reports") == [a])
            b.setValue(1, forKey: "n")
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test func `a child does not push a member of an ordered list that it only read in a refresh`()
        throws
    {
        let (parent, people) = try people(NSSQLiteStoreType, isOrdered: true)
        let child = parent.child()
        let mine = try child.on { people[0...1].map { child.object(with: $0.objectID) } }
        try child.on { mine[0].setValue(mine[1], forKey: "boss") }
        try parent.on { Self.add(people[0], to: people[1], "reports") }
        try child.on { child.refreshAllObjects() }
        try parent.on { people[0].setValue(nil, forKey: "boss") }
        try child.on {
            child.refreshAllObjects()
            try child.save()
        }
        try parent.on {
            #expect(people[0].value(forKey: "boss") == nil)
            #expect(Self.destinations(people[1], "reports").isEmpty)
            try parent.save()
        }
        #expect(try links(parent).isEmpty)
    }

    @Test func `a new object that was dropped can be inserted again, in any context`() throws {
        let (context, people) = try people(NSSQLiteStoreType)
        let other = self.context()
        other.persistentStoreCoordinator = context.persistentStoreCoordinator
        try context.on {
            let made = context.make("Person", ["name": "e"])
            context.refresh(made, mergeChanges: false)
            context.delete(made)
            context.processPendingChanges()
            try other.on {
                other.insert(made)
                #expect(other.insertedObjects == [made] && context.insertedObjects.isEmpty)
                try other.save()
            }
            try context.save()
            #expect(try context.all("Person").count == people.count + 1)
        }
    }
}
