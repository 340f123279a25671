import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization
import Testing

@testable import CoreDataEngine

/// The published test suites of apps and libraries assert this behaviour of objects and contexts.
@Suite struct ObjectBehaviourTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    private static func notes() -> NSManagedObjectModel {
        let mood = GraphModels.text("mood")
        mood.isTransient = true
        mood.isOptional = false
        mood.defaultValue = "calm"
        let bare = GraphModels.text("bare")
        bare.isTransient = true
        bare.isOptional = false
        return GraphModels.model([
            GraphModels.entity("Note", [GraphModels.text("name"), mood, bare])
        ])
    }

    // MARK: Misuse

    private static func people() -> NSManagedObjectModel {
        let age = GraphModels.attribute("age", .integer16AttributeType)
        let person = GraphModels.entity("Person", [GraphModels.text("name"), age])
        GraphModels.relate(
            GraphModels.End(owner: person, name: "friends", toMany: true),
            GraphModels.End(owner: person, name: "friendOf", toMany: true))
        return GraphModels.model([person])
    }

    @Test func `an object whose context was released says so`() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            func make() throws -> NSManagedObject {
                let context = try GraphStack(ObjectBehaviourTests.people()).context()
                return try context.on {
                    let person = context.make("Person")
                    try context.save()
                    context.refresh(person, mergeChanges: false)
                    return person
                }
            }
            _ = try make().value(forKey: "name")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("its context was released. Keep the context, or its container"))
    }

    /// Source: documentation of key-value coding; `name` and `Name` have the same setter
    /// `setName:`.
    @Test func `key-value coding finds a property if its first letter has the other case`() throws {
        let context = try GraphStack(Self.people()).context()
        try context.on {
            let person = context.make("Person", ["Name": "Ada"])
            let friend = context.make("Person")
            person.setValue(Set([friend]), forKey: "Friends")
            #expect(person.value(forKey: "name") as? String == "Ada")
            #expect(person.value(forKey: "Name") as? String == "Ada")
            #expect(person.value(forKey: "Friends") as? Set<NSManagedObject> == [friend])
            #expect(throws: CoreDataError.self) { try person.readValue(forKey: "NAME") }
            #expect(throws: CoreDataError.self) { try person.writeValue(1, forKey: "") }
        }
    }

    /// Source: behaviour since iOS 5; a value that is too wide is truncated to the attribute's
    /// width.
    @Test func `a value that is too wide is stored in the width of its attribute, and logged`()
        throws
    {
        let stack = try GraphStack(Self.people(), at: folder.store)
        let context = stack.context()
        let lines = Mutex<[String]>([])
        try context.on {
            EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
                context.make("Person", ["age": 70_000])
                context.make("Person", ["age": 70_000])
            }
            try context.save()
            #expect(try context.all("Person", "age == 4464").count == 2)
            #expect(try context.all("Person", "age == 70000").isEmpty)
            let update = NSBatchUpdateRequest(entityName: "Person")
            update.propertiesToUpdate = ["age": 70_000]
            let error = #expect(throws: (any Error).self) { try context.execute(update) }
            let text = error.map { ($0 as NSError).localizedDescription } ?? ""
            #expect(text.contains("70000 of 'age' of 'Person' does not fit"))
        }
        let told = lines.withLock { $0 }
        #expect(told.count == 1, "\(told)")
        #expect(told.first?.contains("70000 of 'age' of 'Person'") == true)
        #expect(told.first?.contains("becomes 4464") == true)
    }

    // MARK: Transient attributes

    /// Source: semantics.md §2; a mandatory transient attribute has its default value after a
    /// fetch.
    @Test func `a mandatory transient attribute has its default after a fetch`() throws {
        let stack = try GraphStack(Self.notes(), at: folder.store)
        let context = stack.context()
        try context.on {
            context.make("Note", ["name": "a", "mood": "wild"])
            try context.save()
            context.reset()
            let note = try #require(try context.all("Note").first)
            #expect(note.text("mood") == "calm")
            #expect(!note.hasChanges)
        }
    }

    /// Source: suites of libraries; a transient attribute is not stored, so it cannot be missing.
    @Test func `a mandatory transient attribute without a value does not block a save`() throws {
        let stack = try GraphStack(Self.notes(), at: folder.store)
        let context = stack.context()
        try context.on {
            let note = context.make("Note", ["name": "a"])
            #expect(note.value(forKey: "bare") == nil)
            try context.save()
            note.setValue("b", forKey: "name")
            note.setValue(nil, forKey: "mood")
            try context.save()
        }
    }

    /// Source: suites of libraries; a child's transient values stay in the child.
    @Test func `transient values are not read from a parent`() throws {
        let stack = try GraphStack(Self.notes(), at: folder.store)
        let parent = stack.context()
        let child = parent.child()
        let id = try child.on {
            let note = child.make("Note", ["name": "a", "mood": "wild"])
            try child.save()
            #expect(note.text("mood") == "wild")
            return note.objectID
        }
        let second = parent.child(name: "second")
        try second.on { #expect(second.object(with: id).text("mood") == "calm") }
    }

    // MARK: Permanent ids

    /// Source: NSManagedObjectContext.h, obtainPermanentIDs(for:).
    @Test func `a permanent id of a child's object is that of its row, whenever it is requested`()
        throws
    {
        let stack = try GraphStack(Self.notes(), at: folder.store)
        for moment in ["before", "between", "after"] {
            let parent = stack.context()
            let child = parent.child()
            let note = try child.on {
                let note = child.make("Note", ["name": moment])
                if moment == "before" { try child.obtainPermanentIDs(for: [note]) }
                try child.save()
                if moment == "between" { try child.obtainPermanentIDs(for: [note]) }
                return note
            }
            try parent.on { try parent.save() }
            let id = try child.on {
                if moment == "after" { try child.obtainPermanentIDs(for: [note]) }
                #expect(!note.objectID.isTemporaryID)
                return note.objectID
            }
            let other = stack.context()
            try other.on { #expect(other.object(with: id).text("name") == moment, "\(moment)") }
        }
    }

    // MARK: Refreshing and resetting

    /// Source: NSManagedObjectContext.h, refresh(_:mergeChanges:).
    @Test func `refreshing a clean object, or a new one without its changes, makes a fault`() throws
    {
        let stack = try GraphStack(Self.notes(), at: folder.store)
        let context = stack.context()
        try context.on {
            let note = context.make("Note", ["name": "a"])
            try context.save()
            #expect(!note.isFault)
            context.refresh(note, mergeChanges: true)
            #expect(note.isFault)
            #expect(note.text("name") == "a")
            let new = context.make("Note", ["name": "b"])
            context.refresh(new, mergeChanges: false)
            #expect(new.isFault)
        }
    }

    /// Source: suites of libraries; after a reset, the values of the context's former objects are
    /// nil.
    @Test func `an object may be read after a reset`() throws {
        let stack = try GraphStack(Self.notes(), at: folder.store)
        let context = stack.context()
        try context.on {
            let note = context.make("Note", ["name": "a"])
            try context.save()
            let id = note.objectID
            context.reset()
            #expect(note.value(forKey: "name") == nil)
            #expect(note.text("mood") == "calm")
            #expect(note.objectID == id)
            #expect(note.managedObjectContext == nil)
            #expect(!note.hasChanges && !note.isDeleted)
        }
    }

    /// Source: NSManagedObject.h; semantics.md §2.
    @Test func `a new object has no committed values`() throws {
        let stack = try GraphStack(Self.notes(), at: folder.store)
        let context = stack.context()
        try context.on {
            let note = context.make("Note", ["name": "a"])
            #expect(note.committedValues(forKeys: nil).isEmpty)
            #expect(note.committedValues(forKeys: ["name"]).isEmpty)
            try context.save()
            #expect(note.committedValues(forKeys: ["name"])["name"] as? String == "a")
        }
    }

    // MARK: Notifications

    private func changes(
        of context: NSManagedObjectContext, _ name: Notification.Name,
        _ body: () throws -> Void
    ) rethrows -> [[AnyHashable: Any]] {
        let seen = Box<[[AnyHashable: Any]]>([])
        let token = NotificationCenter.default.addObserver(
            forName: name, object: context, queue: nil
        ) { seen.value.append($0.userInfo ?? [:]) }
        defer { NotificationCenter.default.removeObserver(token) }
        try body()
        return seen.value
    }

    /// Source: NSManagedObjectContext.h, NSInvalidatedAllObjectsKey.
    @Test func `a reset posts the objects that it has invalidated`() throws {
        let stack = try GraphStack(Self.notes(), at: folder.store)
        let context = stack.context()
        try context.on {
            let note = context.make("Note", ["name": "a"])
            try context.save()
            let id = note.objectID
            let posts = changes(of: context, .NSManagedObjectContextObjectsDidChange) {
                context.reset()
            }
            let all = posts.first?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
            #expect(posts.count == 1 && all == [id])
        }
    }

    /// Source: NSManagedObjectContext.h, NSManagedObjectContextDidMergeChangesObjectIDs.
    @Test func `a merge posts refreshed ids, and a merged deletion is a deletion`() throws {
        let stack = try GraphStack(Self.notes(), at: folder.store)
        let writer = stack.context()
        let reader = stack.context()
        let ids = try writer.on {
            let notes = ["a", "b"].map { writer.make("Note", ["name": $0]) }
            try writer.save()
            return notes.map(\.objectID)
        }
        let seen = try reader.on {
            let notes = try reader.all("Note", sort: "name")
            for note in notes { _ = note.text("name") }
            return notes
        }
        let saved = Box<Notification?>(nil)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: writer, queue: nil
        ) { saved.value = $0 }
        defer { NotificationCenter.default.removeObserver(token) }
        try writer.on {
            let notes = try writer.all("Note", sort: "name")
            notes[0].setValue("c", forKey: "name")
            writer.delete(notes[1])
            try writer.save()
        }
        try reader.on {
            let note = try #require(saved.value)
            let posts = changes(of: reader, .NSManagedObjectContextDidMergeChangesObjectIDs) {
                reader.mergeChanges(fromContextDidSave: note)
            }
            let info = try #require(posts.first)
            #expect(info[NSRefreshedObjectIDsKey] as? Set<NSManagedObjectID> == [ids[0]])
            #expect(info[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [ids[1]])
            #expect(reader.deletedObjects == [seen[1]])
        }
    }

    // MARK: Relationships

    /// Source: NSRelationshipDescription.h: setting an inverse on one side is enough.
    @Test func `an inverse that is set on one side is set on the other`() throws {
        let person = GraphModels.entity("Person", [GraphModels.text("name")])
        let car = GraphModels.entity("Car", [GraphModels.text("name")])
        let owner = GraphModels.relationship(.init(owner: car, name: "owner"), to: person)
        let cars = GraphModels.relationship(
            .init(owner: person, name: "cars", toMany: true), to: car)
        car.properties += [owner]
        person.properties += [cars]
        owner.inverseRelationship = cars
        let stack = try GraphStack(GraphModels.model([person, car]), at: folder.store)
        #expect(cars.inverseRelationship === owner)
        let context = stack.context()
        try context.on {
            let ann = context.make("Person", ["name": "ann"])
            context.make("Car", ["name": "mini", "owner": ann])
            #expect(ann.names("cars") == ["mini"])
            try context.save()
        }
    }

    /// Source: NSRelationshipDescription.h: the default of `minCount` is 0.
    @Test func `a required to-many relationship without a minimum may be empty`() throws {
        let person = GraphModels.entity("Person", [GraphModels.text("name")])
        let car = GraphModels.entity("Car", [GraphModels.text("name")])
        GraphModels.relate(
            .init(owner: person, name: "cars", toMany: true), .init(owner: car, name: "owner"))
        person.relationshipsByName["cars"]?.isOptional = false
        let stack = try GraphStack(GraphModels.model([person, car]), at: folder.store)
        let context = stack.context()
        try context.on {
            context.make("Person", ["name": "ann"])
            try context.save()
        }
    }

    // MARK: Descriptions

    /// Source: api-surface.md §4: `userInfo` of a description is a dictionary.
    @Test func `user info is an empty dictionary at first, and may change after use`() throws {
        let model = Self.notes()
        let entity = try #require(model.entitiesByName["Note"])
        let name = try #require(entity.attributesByName["name"])
        #expect(entity.userInfo?.isEmpty == true && name.userInfo?.isEmpty == true)
        _ = try GraphStack(model, at: folder.store)
        entity.userInfo = ["key": 1]
        name.userInfo = ["other": "x"]
        #expect(entity.userInfo?["key"] as? Int == 1 && name.userInfo?["other"] as? String == "x")
    }

    /// Source: NSManagedObjectContext.h, `NSLocking` of contexts before queues.
    @available(*, deprecated)
    @Test func `a context that a thread has locked keeps other threads out`() async throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.lock()
        #expect(context.tryLock())
        let elsewhere = { @Sendable in
            await withCheckedContinuation { done in
                Thread.detachNewThread { done.resume(returning: context.tryLock()) }
            }
        }
        let whileLocked = await elsewhere()
        #expect(!whileLocked)
        context.unlock()
        context.unlock()
        let afterwards = await elsewhere()
        #expect(afterwards)
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let lines = Mutex<[String]>([])
        EngineLog.capture({ line in lines.withLock { $0.append(line) } }, while: { other.unlock() })
        let told = lines.withLock { $0 }
        #expect(told.count == 1 && told[0].contains("not locked"))
    }
}
