import CoreData
import Testing

/// Tests that a fault of a child context fires with the current values of its parent.
@Suite struct NestedFaultTests {
    /// A parent that has fetched the only person, and a child in which the person is a fault.
    private func family() throws -> (
        office: Office, parent: NSManagedObjectContext, known: Person,
        child: NSManagedObjectContext, fault: Person
    ) {
        let office = try Office()
        try office.hire("saved")
        let parent = office.context()
        let known = try parent.on { try parent.people()[0] }
        let child = parent.child()
        let fault = try child.on { try child.people()[0] }
        try child.on { #expect(fault.isFault) }
        return (office, parent, known, child, fault)
    }

    private func name(_ person: Person, in context: NSManagedObjectContext) throws -> String? {
        try context.on { person.name }
    }

    // Proves S4.1-2
    @Test func `a fault shows changes of the parent since the fetch`() throws {
        let (_, parent, known, child, fault) = try family()
        try parent.on { known.name = "unsaved" }
        #expect(try name(fault, in: child) == "unsaved")
        try parent.on { known.name = "later" }
        #expect(try name(fault, in: child) == "unsaved")
        try child.on { child.refresh(fault, mergeChanges: false) }
        #expect(try name(fault, in: child) == "later")
    }

    @Test func `a fault does not show changes that the parent has rolled back`() throws {
        let (_, parent, known, _, _) = try family()
        try parent.on { known.name = "unsaved" }
        let child = parent.child()
        let fault = try child.on { try child.people()[0] }
        try parent.on { parent.rollback() }
        #expect(try name(fault, in: child) == "saved")
    }

    @Test func `a fault shows values that the parent saved, and values that it read again`() throws
    {
        let (office, parent, known, child, fault) = try family()
        try parent.on {
            known.name = "by the parent"
            try parent.save()
        }
        #expect(try name(fault, in: child) == "by the parent")
        let second = parent.child()
        let later = try second.on { try second.people()[0] }
        try office.change(known.objectID, "name", "by another")
        try parent.on { parent.refresh(known, mergeChanges: true) }
        #expect(try name(later, in: second) == "by another")
    }

    @Test func `a fault keeps the parent's value while only others save`() throws {
        let (office, parent, known, child, fault) = try family()
        #expect(try name(known, in: parent) == "saved")
        try office.change(known.objectID, "name", "by another")
        #expect(try name(fault, in: child) == "saved")
    }

    @Test func `a grandchild's fault shows what the grandparent changed`() throws {
        let (_, parent, known, child, _) = try family()
        let grandchild = child.child()
        let fault = try grandchild.on { try grandchild.people()[0] }
        try child.on { child.refreshAllObjects() }
        try parent.on { known.name = "unsaved" }
        #expect(try name(fault, in: grandchild) == "unsaved")
    }

    @Test func `an object that a child saved shows the parent's later value as a fault`() throws {
        let (office, parent, known, child, fault) = try family()
        // The file of the store is removed with the folder.
        defer { withExtendedLifetime(office) {} }
        try child.on {
            fault.name = "by the child"
            try child.save()
        }
        try parent.on {
            #expect(known.name == "by the child")
            known.name = "by the parent"
            try parent.save()
        }
        try child.on {
            #expect(fault.name == "by the child")
            child.refresh(fault, mergeChanges: false)
            #expect(fault.name == "by the parent")
        }
    }
}
