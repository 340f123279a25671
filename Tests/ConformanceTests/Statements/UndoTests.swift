import CoreData
import Testing

@Suite struct UndoTests {
    private func work(_ body: (NSManagedObjectContext, UndoManager) throws -> Void) throws {
        let office = try Office()
        try office.hire("Ada")
        try office.work { context in
            let manager = UndoManager()
            context.undoManager = manager
            try body(context, manager)
            context.undoManager = nil
        }
    }

    // Proves S1.3-2, S1.3-7
    @Test func `undo is registered when changes are processed, and undo processes them`() throws {
        try work { context, manager in
            manager.groupsByEvent = false
            let person = try context.people()[0]
            manager.beginUndoGrouping()
            person.name = "Grace"
            context.processPendingChanges()
            manager.endUndoGrouping()
            #expect(manager.canUndo)
            context.undo()
            #expect(person.name == "Ada" && manager.canRedo)
            context.redo()
            #expect(person.name == "Grace")
        }
    }

    // Proves S6-2
    @Test func `processing changes is one step, and work can be excluded`() throws {
        try work { context, manager in
            let person = try context.people()[0]
            person.name = "1"
            person.setValue(1, forKey: "age")
            context.processPendingChanges()
            manager.disableUndoRegistration()
            person.setValue(2, forKey: "age")
            context.processPendingChanges()
            manager.enableUndoRegistration()
            context.undo()
            #expect(person.name == "Ada")
            #expect(!manager.canUndo)
        }
    }

    // Proves S6-3
    @Test func `without a manager undo does nothing and rollback works`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        try office.work { context in
            let person = try context.known(id)
            person.name = "Grace"
            context.undo()
            context.redo()
            #expect(person.name == "Grace")
            context.rollback()
            #expect(person.name == "Ada")
        }
    }

    // Proves S1.2-2, S6-4
    @Test func `undoing an insertion unregisters, redoing it awakens from snapshot`() throws {
        try work { context, _ in
            let person = context.person("new")
            context.processPendingChanges()
            context.undo()
            #expect(context.insertedObjects.isEmpty && person.managedObjectContext == nil)
            person.calls = []
            context.redo()
            #expect(context.insertedObjects == [person])
            #expect(!person.calls.contains { $0.hasPrefix("insert") })
            #expect(person.calls.contains { $0.hasPrefix("snapshot") })
        }
    }

    // Proves S1.2-6
    @Test func `rollback, undo and a merging refresh awaken from snapshot with their flag`() throws
    {
        try work { context, _ in
            let person = try context.people()[0]
            func flags(_ body: () -> Void) -> [String] {
                person.calls = []
                body()
                return person.calls.filter { $0.hasPrefix("snapshot") }
            }
            person.name = "1"
            context.processPendingChanges()
            let undone = flags { context.undo() }
            #expect(undone == ["snapshot \(NSSnapshotEventType.undoUpdate.rawValue)"])
            person.name = "2"
            let rolledBack = flags { context.rollback() }
            #expect(rolledBack == ["snapshot \(NSSnapshotEventType.rollback.rawValue)"])
            person.name = "3"
            let refreshed = flags { context.refresh(person, mergeChanges: true) }
            #expect(refreshed == ["snapshot \(NSSnapshotEventType.refresh.rawValue)"])
        }
    }

    // Proves S2.1-6, S6-5
    @Test func `the manager holds changed objects`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        let context = office.context()
        let manager = UndoManager()
        weak var person: Person?
        try context.on {
            context.undoManager = manager
            let known = try context.known(id)
            known.name = "Grace"
            try context.save()
            person = known
        }
        try context.on {
            #expect(person != nil)
            manager.removeAllActions()
            context.undoManager = nil
            _ = try context.people("name == 'nobody'")
        }
        try context.on { context.processPendingChanges() }
        #expect(person == nil)
    }

    // Proves S6-6
    @Test func `rollback empties the undo stack`() throws {
        try work { context, manager in
            let person = try context.people()[0]
            person.name = "Grace"
            context.processPendingChanges()
            #expect(manager.canUndo)
            context.rollback()
            #expect(person.name == "Ada" && !manager.canUndo && !manager.canRedo)
        }
    }

    // Proves S1.2-13, S6-9
    @Test func `changes in didSave can be undone`() throws {
        try work { context, manager in
            manager.groupsByEvent = false
            let person = try context.people()[0]
            manager.beginUndoGrouping()
            person.name = "Grace"
            context.processPendingChanges()
            manager.endUndoGrouping()
            person.onDidSave = { person in
                person.onDidSave = nil
                person.setValue(99, forKey: "age")
            }
            manager.beginUndoGrouping()
            try context.save()
            #expect(context.hasChanges)
            context.processPendingChanges()
            manager.endUndoGrouping()
            context.undo()
            #expect(person.value(forKey: "age") as? Int == 18 && person.name == "Grace")
        }
    }
}
