import CoreDataModel
import CoreDataPredicate
import Testing

@testable import CoreDataEngine

struct ResultsChangeTests {
    private func object(
        _ name: String, _ controller: NSFetchedResultsController<NSManagedObject>
    ) throws -> NSManagedObject {
        try #require(controller.fetchedObjects?.first { ResultsFixture.name($0) == name })
    }

    @Test func `sections precede objects, old positions precede the change, new ones follow`()
        throws
    {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "a2", "a3", "b1", "b2", "c1"])
            let controller = try fixture.following()
            let told = try fixture.told {
                fixture.context.delete(try object("c1", controller))
                fixture.context.delete(try object("a1", controller))
                fixture.add("d1")
                fixture.add("b0")
                try object("a2", controller).setValue(9, forKey: "rank")
                try object("b2", controller).setValue("n", forKey: "note")
            }
            #expect(
                told == [
                    "will", "delete section c 2", "insert section d 2", "delete a1 0.0 -",
                    "delete c1 2.0 -", "insert b0 - 1.0", "insert d1 - 2.0", "move a9 0.1 0.1",
                    "update b2 1.1 1.2", "did",
                ])
            #expect(ResultsFixture.show(controller) == ["a: a3 a9", "b: b0 b1 b2", "d: d1"])
        }
    }

    @Test func `a change in or out of the predicate is an insert or a delete`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "a2"])
            let open = NSPredicate(format: "done == NO")
            let controller = try fixture.following(predicate: open)
            let first = try object("a1", controller)
            let out = fixture.told { first.setValue(true, forKey: "done") }
            #expect(out == ["will", "delete a1 0.0 -", "did"])
            let back = fixture.told { first.setValue(false, forKey: "done") }
            #expect(back == ["will", "insert a1 - 0.0", "did"])
            let outside = fixture.told {
                make("Task", fixture.context, ["kind": "a", "rank": 7, "done": true])
            }
            #expect(outside == [])
        }
    }

    @Test func `the only object of a section moves together with its section`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "b1"])
            let controller = try fixture.following()
            let only = try object("a1", controller)
            let told = fixture.told { only.setValue("c", forKey: "kind") }
            #expect(
                told == [
                    "will", "delete section a 0", "insert section c 1", "move c1 0.0 1.0", "did",
                ])
        }
    }

    @Test func `of two objects that swap positions, the one whose sort key changed moves`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "a2"])
            let controller = try fixture.following()
            let told = try fixture.told {
                try object("a2", controller).setValue("n", forKey: "note")
                try object("a1", controller).setValue(5, forKey: "rank")
            }
            #expect(told == ["will", "move a5 0.0 0.1", "update a2 0.1 0.0", "did"])
        }
    }

    @Test func `a new object is not updated before it is saved, but it may move`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a2"])
            let controller = try fixture.following()
            let new = fixture.add("a1")
            #expect(fixture.told {} == ["will", "insert a1 - 0.0", "did"])
            #expect(fixture.told { new.setValue("n", forKey: "note") } == [])
            let moved = fixture.told { new.setValue(3, forKey: "rank") }
            #expect(moved == ["will", "move a3 0.0 0.1", "did"])
            #expect(try fixture.told { try fixture.context.save() } == [])
            let updated = fixture.told { new.setValue("m", forKey: "note") }
            #expect(updated == ["will", "update a3 0.1 0.1", "did"])
            #expect(ResultsFixture.show(controller) == ["a: a2 a3"])
        }
    }

    @Test func `without a delegate results do not change, and a reset reports nothing`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1"])
            let controller = fixture.controller()
            try controller.performFetch()
            fixture.add("a2")
            fixture.context.processPendingChanges()
            #expect(ResultsFixture.show(controller) == ["a: a1"])
            try fixture.context.save()
            let following = try fixture.following()
            #expect(fixture.told { fixture.context.reset() } == [])
            fixture.add("a3")
            #expect(fixture.told {} == [])
            try following.performFetch()
            #expect(ResultsFixture.show(following) == ["a: a1 a2 a3"])
        }
    }

    @Test func `a change that splits a section ends tracking until the next fetch`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "b2"])
            let controller = fixture.controller()
            controller.fetchRequest.sortDescriptors = [
                NSSortDescriptor(key: "rank", ascending: true)
            ]
            controller.delegate = fixture.notes
            try controller.performFetch()
            let new = fixture.add("a3")
            #expect(fixture.told {} == [])
            #expect(throws: (any Error).self) { try controller.performFetch() }
            fixture.context.delete(new)
            fixture.context.processPendingChanges()
            try controller.performFetch()
            fixture.add("b3")
            #expect(fixture.told {} == ["will", "insert b3 - 1.1", "did"])
        }
    }

    @Test func `the controller that a delegate receives is equal and shows the same objects`()
        throws
    {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1"])
            let controller = try fixture.following()
            _ = fixture.told { fixture.add("a2") }
            let given = try #require(fixture.notes.given)
            #expect(given.isEqual(controller) && controller.isEqual(given))
            #expect(given.hash == controller.hash)
            #expect(given.fetchedObjects?.count == 2)
            #expect(given.sectionIndexTitles == ["A"])
            let other = fixture.controller()
            #expect(!given.isEqual(other))
        }
    }

    // MARK: Differences

    @Test func `without sections a delegate may receive differences, and no other calls`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "a2", "a3"])
            let notes = DifferenceNotes()
            let controller = fixture.controller(sections: nil)
            controller.delegate = notes
            try controller.performFetch()
            let before = try #require(controller.fetchedObjects).map(\.objectID)
            try object("a2", controller).setValue("n", forKey: "note")
            try object("a1", controller).setValue(9, forKey: "rank")
            fixture.add("a0")
            fixture.context.processPendingChanges()
            let difference = try #require(notes.differences.first)
            let after = try #require(controller.fetchedObjects).map(\.objectID)
            #expect(before.applying(difference) == after)
            #expect(difference.removals.count == 2 && difference.insertions.count == 3)
            #expect(notes.calls == 0)
            let divided = fixture.controller()
            divided.delegate = notes
            try divided.performFetch()
            controller.delegate = nil
            fixture.add("b1")
            fixture.context.processPendingChanges()
            #expect(notes.differences.count == 1 && notes.calls == 1)
        }
    }

    // MARK: Merges

    // Proves S4.2-7
    @Test func `a merge adds objects that the context has never registered`() throws {
        let fixture = try ResultsFixture()
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = fixture.coordinator
        let id = try fixture.context.performAndWait {
            try fixture.fill(["a1"])
            let hidden = make("Task", fixture.context, ["kind": "b", "rank": 2, "done": true])
            try fixture.context.save()
            defer { fixture.context.reset() }
            return hidden.objectID
        }
        let controller = try fixture.context.performAndWait {
            try fixture.following(predicate: NSPredicate(format: "done == NO"))
        }
        fixture.context.automaticallyMergesChangesFromParent = true
        try other.performAndWait {
            other.object(with: id).setValue(false, forKey: "done")
            make("Task", other, ["kind": "c", "rank": 3])
            try other.save()
        }
        fixture.context.performAndWait {
            #expect(ResultsFixture.show(controller) == ["a: a1", "b: b2", "c: c3"])
            #expect(
                fixture.notes.lines == [
                    "will", "insert section c 1", "insert c3 - 1.0", "did",
                    "will", "insert section b 1", "insert b2 - 1.0", "did",
                ])
        }
    }
}
