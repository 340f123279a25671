import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import Testing

final class Watched: NSManagedObject {
    var calls: [String] = []
    var onWillSave: ((Watched) -> Void)?
    var onDidSave: ((Watched) -> Void)?

    override func awakeFromInsert() {
        calls.append("insert \(value(forKey: "size") ?? "nil")")
        setPrimitiveValue("awake", forKey: "note")
    }
    override func awakeFromFetch() {
        calls.append("fetch")
        setValue("fetched", forKey: "note")
    }
    override func willSave() {
        calls.append("willSave")
        onWillSave?(self)
    }
    override func didSave() {
        calls.append("didSave")
        onDidSave?(self)
    }
    override func prepareForDeletion() {
        let partner = value(forKey: "partner") as? Watched
        calls.append("prepare \(partner == nil ? "alone" : "linked")")
    }
    override func willTurnIntoFault() { calls.append("willTurnIntoFault") }
    override func didTurnIntoFault() { calls.append("didTurnIntoFault") }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { calls.append("snapshot") }

    static func makeModel() -> NSManagedObjectModel {
        let note = GraphModels.text("note")
        note.isTransient = true
        let watched = GraphModels.entity(
            "Watched", [GraphModels.text("name"), GraphModels.number("size", default: 7), note],
            Watched.self)
        GraphModels.relate(
            .init(owner: watched, name: "partner"), .init(owner: watched, name: "partnerOf"))
        return GraphModels.model([watched])
    }
}

@Suite struct LifeCycleTests {
    private func stack() throws -> (GraphStack, NSManagedObjectContext) {
        let stack = try GraphStack(Watched.makeModel())
        return (stack, stack.context())
    }

    private func watched(_ context: NSManagedObjectContext, _ name: String? = nil) -> Watched {
        let made = Watched(context: context)
        if let name { made.setValue(name, forKey: "name") }
        return made
    }

    // Proves S1.2-1, S1.2-3, S1.2-4
    @Test func `callbacks come in order, defaults before the first`() throws {
        let (_, context) = try stack()
        try context.on {
            let object = watched(context, "a")
            #expect(object.calls == ["insert 7"])
            #expect(object.text("note") == "awake")
            try context.save()
            #expect(object.calls == ["insert 7", "willSave", "didSave"])
            object.calls = []
            context.refresh(object, mergeChanges: false)
            #expect(object.calls == ["willTurnIntoFault", "didTurnIntoFault"])
            #expect(object.isFault)
            #expect(object.text("name") == "a")
            #expect(object.text("note") == "fetched")
            #expect(object.calls.last == "fetch")
            #expect(!object.hasChanges && !context.hasChanges)
        }
    }

    // Proves S1.2-10, S1.5-5
    @Test func `willSave is called again as long as it changes this or another object`()
        throws
    {
        let (_, context) = try stack()
        try context.on {
            let first = watched(context, "0")
            let second = watched(context, "x")
            first.onWillSave = { object in
                let number = Int(object.text("name") ?? "") ?? 0
                if number < 3 { object.setValue(String(number + 1), forKey: "name") }
                if number == 2 { second.setValue("changed", forKey: "name") }
            }
            try context.save()
            #expect(first.calls.filter { $0 == "willSave" }.count == 4)
            #expect(second.calls.filter { $0 == "willSave" }.count == 2)
            context.reset()
            let names = try context.all("Watched", sort: "name").map { $0.text("name") }
            #expect(names == ["3", "changed"])
        }
    }

    @Test func `a save inside of a save is refused with 132001, and the outer one goes on`() throws
    {
        let (stack, context) = try stack()
        defer { withExtendedLifetime(stack) {} }
        try context.on {
            let object = watched(context, "x")
            var refused: [Int] = []
            object.onWillSave = { _ in
                do { try context.save() } catch { refused.append((error as NSError).code) }
            }
            try context.save()
            #expect(refused == [132_001])
            #expect(!context.hasChanges)
        }
    }

    @Test func `a willSave that always changes something is an error of the save`() throws {
        let (_, context) = try stack()
        try context.on {
            let object = watched(context, "0")
            object.onWillSave = { object in
                object.setValue((object.text("name") ?? "") == "1" ? "0" : "1", forKey: "name")
            }
            #expect(throws: NSError.self) { try context.save() }
            #expect(context.hasChanges)
            object.onWillSave = nil
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test func `a save in an observer that has just changed something is an error`() throws {
        let (_, context) = try stack()
        try context.on {
            let object = watched(context, "a")
            try context.save()
            let failures = Box(0)
            let watched = Box(object)
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { _ in
                guard watched.value.text("name") == "b" else { return }
                watched.value.setValue("c", forKey: "name")
                do { try watched.value.managedObjectContext?.save() } catch { failures.value += 1 }
            }
            object.setValue("b", forKey: "name")
            context.processPendingChanges()
            NotificationCenter.default.removeObserver(token)
            #expect(failures.value == 1)
            try context.save()
            context.reset()
            #expect(try context.all("Watched").first?.text("name") == "c")
        }
    }

    // Proves S1.2-11
    @Test func `a primitive setter in willSave is saved without another round`() throws {
        let (_, context) = try stack()
        try context.on {
            let object = watched(context, "a")
            try context.save()
            object.calls = []
            object.onWillSave = { $0.setPrimitiveValue("quiet", forKey: "name") }
            object.setValue(1, forKey: "size")
            try context.save()
            #expect(object.calls == ["willSave", "didSave"])
            context.reset()
            #expect(try context.all("Watched").first?.text("name") == "quiet")
        }
    }

    // Proves S1.2-13
    @Test func `a change in didSave makes the context dirty again`() throws {
        let (_, context) = try stack()
        try context.on {
            let object = watched(context, "a")
            object.onDidSave = { object in
                object.onDidSave = nil
                object.setValue("again", forKey: "name")
            }
            try context.save()
            #expect(context.hasChanges && object.isUpdated)
            try context.save()
            context.reset()
            #expect(try context.all("Watched").first?.text("name") == "again")
        }
    }

    // Proves S1.1-9, S1.2-12
    @Test func `prepareForDeletion sees relationships, and deleted objects receive didSave`() throws
    {
        let (_, context) = try stack()
        try context.on {
            let first = watched(context, "a")
            let second = watched(context, "b")
            first.setValue(second, forKey: "partner")
            try context.save()
            first.calls = []
            context.delete(first)
            #expect(first.isDeleted && first.calls == ["prepare linked"])
            #expect(context.deletedObjects == [first])
            try context.save()
            #expect(first.calls == ["prepare linked", "willSave", "didSave"])
            #expect(!first.isDeleted && first.managedObjectContext == nil)
            #expect(second.object("partnerOf") == nil)
        }
    }

    // Proves S1.1-10
    @Test func `a new object that is deleted is pending until changes are processed`() throws {
        let (stack, context) = try stack()
        try context.on {
            let object = watched(context, "a")
            let other = watched(context, "b")
            other.setValue(object, forKey: "partner")
            context.delete(object)
            #expect(context.deletedObjects == [object])
            context.processPendingChanges()
            #expect(context.deletedObjects.isEmpty && context.insertedObjects == [other])
            #expect(object.managedObjectContext == nil && other.object("partner") == nil)
            stack.counters.reset()
            try context.save()
            #expect(try context.count(for: NSFetchRequest<Watched>(entityName: "Watched")) == 1)
        }
    }

    @Test func `a new object with a permanent id can still be deleted before its save`() throws {
        let (_, context) = try stack()
        try context.on {
            let object = watched(context, "a")
            let other = watched(context, "b")
            other.setValue(object, forKey: "partner")
            try context.obtainPermanentIDs(for: [object, other])
            #expect(!object.objectID.isTemporaryID && object.isInserted)
            context.delete(object)
            try context.save()
            context.reset()
            let left = try context.all("Watched")
            #expect(left.map { $0.text("name") } == ["b"] && left[0].object("partner") == nil)
        }
    }

    // Proves S1.1-3, S1.1-4, S1.1-6, S1.1-7, S1.1-8
    @Test func `changed, committed and persistently changed values`() throws {
        let (_, context) = try stack()
        try context.on {
            let a = watched(context, "a")
            let b = watched(context, "b")
            let c = watched(context, "c")
            a.setValue(b, forKey: "partner")
            #expect(a.hasPersistentChangedValues)
            try context.save()
            #expect(a.changedValues().isEmpty && !a.hasPersistentChangedValues)
            a.setValue("a", forKey: "name")
            #expect(a.hasChanges && !a.hasPersistentChangedValues)
            a.setValue("A", forKey: "name")
            a.setValue(c, forKey: "partner")
            let changed = a.changedValues()
            #expect(changed["name"] as? String == "A")
            #expect(changed["partner"] as? NSManagedObject === c)
            let committed = a.committedValues(forKeys: nil)
            #expect(committed["name"] as? String == "a")
            #expect(committed["size"] as? Int == 7)
            #expect(committed["partner"] as? NSManagedObject === b)
            #expect(a.committedValues(forKeys: ["partnerOf"])["partnerOf"] is NSNull)
            #expect(Set(a.changedValuesForCurrentEvent().keys) == ["name", "partner"])
            #expect(a.changedValuesForCurrentEvent()["partner"] as? NSManagedObject === b)
            context.processPendingChanges()
            #expect(a.changedValuesForCurrentEvent().isEmpty)
            a.setValue(nil, forKey: "size")
            #expect(a.changedValues()["size"] is NSNull)
            context.rollback()
            a.setValue("t", forKey: "note")
            #expect(a.hasChanges && a.changedValues().isEmpty && !a.hasPersistentChangedValues)
        }
    }

    // Proves S1.1-15
    @Test func `an object without a context can be filled and inserted later`() throws {
        let (_, context) = try stack()
        try context.on {
            let entity = try #require(
                NSEntityDescription.entity(forEntityName: "Watched", in: context))
            let loose = Watched(entity: entity, insertInto: nil)
            let other = Watched(entity: entity, insertInto: nil)
            #expect(loose.managedObjectContext == nil && loose.value(forKey: "size") as? Int == 7)
            loose.setValue("loose", forKey: "name")
            loose.setValue(other, forKey: "partner")
            context.insert(loose)
            context.insert(other)
            #expect(loose.calls == ["insert 7"] && loose.isInserted)
            #expect(loose.objectID.isTemporaryID && context.insertedObjects == [loose, other])
            try context.save()
            context.reset()
            let found = try #require(try context.all("Watched", "name == 'loose'").first)
            #expect(found.object("partner")?.object("partnerOf") === found)
        }
    }

    // Proves S1.7-3
    @Test func `objects of different contexts, or with and without a context, cannot be linked`()
        throws
    {
        let (stack, context) = try stack()
        let other = stack.context()
        let foreign = try other.on { self.watched(other) }
        try context.on {
            let entity = try #require(
                NSEntityDescription.entity(forEntityName: "Watched", in: context))
            let object = watched(context)
            let loose = Watched(entity: entity, insertInto: nil)
            for (source, destination) in [(object, foreign), (object, loose), (loose, object)] {
                let error = try #require(throws: CoreDataError.self) {
                    try source.writeValue(destination, forKey: "partner")
                }
                #expect(
                    error.message.hasPrefix(
                        "Illegal attempt to establish a relationship 'partner' between objects"
                            + " in different contexts"))
                #expect(source.object("partner") == nil)
            }
        }
    }

    @Test func `the error of such a link does not read the other queue's objects`() throws {
        let (stack, context) = try stack()
        let other = stack.context()
        let foreign = try other.on {
            let foreign = self.watched(other)
            try other.save()
            foreign.setValue("changed", forKey: "name")
            other.delete(foreign)
            try other.save()
            return foreign
        }
        try context.on {
            let error = try #require(throws: CoreDataError.self) {
                try watched(context).writeValue(foreign, forKey: "partner")
            }
            #expect(error.message.contains("data: <of another queue>"))
        }
    }

    // Proves S1.5-1, S1.8-1
    @Test func `a save without changes posts its notifications`() throws {
        let (stack, context) = try stack()
        try context.on {
            stack.counters.reset()
            let posted = Box<[String]>([])
            let tokens = [
                NSNotification.Name.NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
            ].map { name in
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                    posted.value.append("\($0.name.rawValue) \($0.userInfo?.count ?? 0)")
                }
            }
            try context.save()
            for token in tokens { NotificationCenter.default.removeObserver(token) }
            #expect(
                posted.value == [
                    "NSManagingContextWillSaveChangesNotification 0",
                    "NSManagingContextDidSaveChangesNotification 0",
                ])
        }
    }

    // Proves S1.4-7, S1.4-13, S1.4-14
    @Test func `ids become permanent, and both kinds find their object`() throws {
        let (stack, context) = try stack()
        let other = stack.context()
        try context.on {
            let object = watched(context, "a")
            let temporary = object.objectID
            #expect(temporary.isTemporaryID)
            #expect(context.registeredObject(for: temporary) === object)
            #expect(context.object(with: temporary) === object)
            #expect(try context.existingObject(with: temporary) === object)
            try context.save()
            let id = object.objectID
            #expect(!id.isTemporaryID && id != temporary)
            #expect(context.registeredObject(for: id) === object)
            #expect(
                stack.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
                    == id)
            try other.on {
                #expect(other.registeredObject(for: id) == nil)
                let fault = other.object(with: id)
                #expect(fault.isFault && other.object(with: id) === fault)
                let existing = try other.existingObject(with: id)
                #expect(existing === fault && !fault.isFault)
                do {
                    _ = try other.existingObject(with: temporary)
                    Issue.record("a foreign temporary id must not be found")
                } catch let error as NSError {
                    #expect(error.code == 133_000)
                }
            }
            context.delete(object)
            try context.save()
            do {
                _ = try context.existingObject(with: id)
                Issue.record("a deleted object must not be found")
            } catch let error as NSError {
                #expect(error.code == 133_000)
            }
            #expect(!context.hasChanges)
        }
    }

    // Proves S1.1-16, S6-7
    @Test func `rollback takes inserts, changes and deletions back`() throws {
        let (_, context) = try stack()
        try context.on {
            let changed = watched(context, "changed")
            let deleted = watched(context, "deleted")
            changed.setValue(deleted, forKey: "partner")
            try context.save()
            let inserted = watched(context, "new")
            changed.setValue("other", forKey: "name")
            deleted.setValue(inserted, forKey: "partner")
            context.delete(deleted)
            context.processPendingChanges()
            #expect(changed.object("partner") == nil)
            context.rollback()
            #expect(!context.hasChanges)
            #expect(inserted.managedObjectContext == nil && !inserted.isInserted)
            #expect(changed.text("name") == "changed" && !changed.hasChanges)
            #expect(!deleted.isDeleted && changed.object("partner") === deleted)
            #expect(deleted.object("partnerOf") === changed && deleted.object("partner") == nil)
            try context.save()
            #expect(try context.all("Watched").count == 2)
        }
    }

    // Proves S6-8
    @Test func `after a reset ids can be read, values are nil and cannot be set`() throws {
        let (_, context) = try stack()
        try context.on {
            let object = watched(context, "a")
            try context.save()
            let id = object.objectID
            let new = watched(context, "b")
            let temporary = new.objectID
            context.reset()
            #expect(object.objectID == id && new.objectID == temporary)
            #expect(object.managedObjectContext == nil && !context.hasChanges)
            #expect(context.registeredObjects.isEmpty)
            #expect(try object.readValue(forKey: "name") == nil)
            #expect(throws: CoreDataError.self) { try object.writeValue("x", forKey: "name") }
            #expect(throws: CoreDataError.self) { try context.deleteObject(object) }
            let again = try context.existingObject(with: id)
            #expect(again !== object && again.text("name") == "a")
        }
    }

    @Test func `an observer of did-save may save again`() throws {
        let (_, context) = try stack()
        try context.on {
            // `@unchecked Sendable` because the observer runs on the thread that saves.
            nonisolated(unsafe) let object = watched(context, "a")
            let rounds = Box(0)
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: context, queue: nil
            ) { _ in
                rounds.value += 1
                guard rounds.value == 1 else { return }
                object.setValue("second", forKey: "name")
                #expect(context.saveError() == nil)
            }
            try context.save()
            NotificationCenter.default.removeObserver(token)
            #expect(rounds.value == 2 && !context.hasChanges)
            context.reset()
            #expect(try context.all("Watched").first?.text("name") == "second")
        }
    }

    @Test func `deleted, rolled back and reset objects that refer to each other are released`()
        throws
    {
        let (_, context) = try stack()
        weak var first: NSManagedObject?
        weak var second: NSManagedObject?
        func pair(save: Bool) throws -> [Watched] {
            let a = watched(context, "a")
            let b = watched(context, "b")
            a.setValue(b, forKey: "partner")
            b.setValue(a, forKey: "partner")
            (first, second) = (a, b)
            if save { try context.save() }
            return [a, b]
        }
        try context.on {
            for object in try pair(save: true) { context.delete(object) }
            try context.save()
        }
        #expect(first == nil && second == nil)
        try context.on {
            _ = try pair(save: false)
            context.rollback()
        }
        #expect(first == nil && second == nil)
        try context.on {
            _ = try pair(save: true)
            #expect(first != nil)
            context.reset()
        }
        #expect(first == nil && second == nil)
        #expect(try context.on { context.registeredObjects.isEmpty })
    }
}
