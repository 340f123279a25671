import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import Testing

/// Observation of changes that the context of an object makes, such as refreshes and merges.
@Suite struct ObservedContextTests {
    /// Runs the body with a context that has registered a saved volume by Ann.
    private func withSaved(
        _ body: (GraphStack, NSManagedObjectContext, Volume, ChangeLog) throws -> Void
    ) throws {
        let stack = try Press.stack()
        let context = stack.context(name: "one")
        try context.on {
            let volume = context.volume("A", 1, by: context.writer("Ann"))
            try context.save()
            try body(stack, context, volume, ChangeLog())
        }
    }

    private func save(
        in stack: GraphStack, _ change: (NSManagedObjectContext, Volume) -> Void
    ) throws -> Notification {
        let other = stack.context(name: "two")
        // `nonisolated(unsafe)` because the save posts on this thread and waits for its observers.
        nonisolated(unsafe) var told: Notification?
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { told = $0 }
        defer { NotificationCenter.default.removeObserver(token) }
        try other.on {
            let volume = try #require(try other.all("Volume").first as? Volume)
            change(other, volume)
            try other.save()
        }
        return try #require(told)
    }

    @Test func `a merge reports the values that differ`() throws {
        try withSaved { stack, context, volume, log in
            volume.log("title", "pages", to: log)
            let note = try save(in: stack) { $1.title = "B" }
            context.mergeChanges(fromContextDidSave: note)
            #expect(log.take() == ["title set old=A new=B"])
        }
    }

    @Test func `a merge keeps local changes, and reports members that were read`() throws {
        try withSaved { stack, context, volume, log in
            volume.title = "mine"
            let writer = try #require(volume.writer)
            #expect(writer.volumes == [volume])
            volume.log("title", to: log)
            writer.log("volumes", to: log)
            let note = try save(in: stack) { other, volume in
                volume.title = "theirs"
                _ = other.volume("B", by: volume.writer)
            }
            context.mergeChanges(fromContextDidSave: note)
            #expect(volume.title == "mine")
            #expect(log.take() == ["volumes set old={mine} new={B,mine}"])
        }
    }

    // Proves S2.2-12
    @Test func `turning into a fault reports every key, firing a fault none`() throws {
        try withSaved { stack, context, volume, log in
            volume.log("title", "writer", to: log, .old)
            context.refresh(volume, mergeChanges: false)
            #expect(volume.isFault)
            #expect(log.take() == ["title set old=A", "writer set old=Ann"])
            #expect(volume.title == "A" && log.take().isEmpty)
            volume.removeObserver(log, forKeyPath: "title")
            volume.removeObserver(log, forKeyPath: "writer")
            volume.log("title", to: log, .new)
            _ = try save(in: stack) { $1.title = "B" }
            context.refresh(volume, mergeChanges: false)
            #expect(log.take() == ["title set new=B"])
        }
    }

    @Test func `a refresh that keeps changes reports the other values`() throws {
        try withSaved { stack, context, volume, log in
            volume.pages = 5
            volume.log("title", "pages", to: log)
            _ = try save(in: stack) {
                $1.title = "B"
                $1.pages = 9
            }
            context.refresh(volume, mergeChanges: true)
            #expect(log.take() == ["title set old=A new=B"] && volume.pages == 5)
        }
    }

    @Test func `undo and redo are reported, and both ends agree`() throws {
        try withSaved { _, context, volume, log in
            context.undoManager = UndoManager()
            let ann = try #require(volume.writer)
            volume.log("title", "writer", to: log)
            ann.log("volumes", to: log)
            volume.title = "B"
            volume.writer = nil
            context.processPendingChanges()
            _ = log.take()
            log.onChange = { _ in
                #expect((volume.writer === ann) == (ann.volumes?.contains(volume) == true))
            }
            context.undo()
            #expect(
                Set(log.take()) == [
                    "title set old=B new=A", "writer set old=nil new=Ann", "volumes insert new={A}",
                ])
            context.redo()
            #expect(
                Set(log.take()) == [
                    "title set old=A new=B", "writer set old=Ann new=nil", "volumes remove old={B}",
                ])
        }
    }

    @Test func `a rollback reports the changed values`() throws {
        try withSaved { _, context, volume, log in
            let ann = try #require(volume.writer)
            volume.log("title", "pages", "writer", to: log)
            ann.log("volumes", to: log)
            volume.title = "B"
            volume.writer = nil
            _ = log.take()
            context.rollback()
            #expect(volume.title == "A" && volume.writer === ann)
            let lines = log.take()
            #expect(
                lines.filter { !$0.hasPrefix("volumes") } == [
                    "title set old=B new=A", "writer set old=nil new=Ann",
                ])
            #expect(lines.contains("volumes set old={} new={A}"))
            #expect(!lines.contains { $0.hasPrefix("pages") })
        }
    }

    @Test func `a deletion notifies the other ends, but not the deleted object's observers`() throws
    {
        try withSaved { _, context, volume, log in
            let ann = try #require(volume.writer)
            #expect(ann.volumes?.count == 1)
            volume.log("title", "writer", to: log)
            ann.log("volumes", to: log)
            context.delete(volume)
            context.processPendingChanges()
            #expect(log.take() == ["volumes remove old={A}"])
            try context.save()
            #expect(log.take().isEmpty)
        }
    }

    // Proves S1.4-7
    @Test func `a save and a reset report nothing`() throws {
        try withSaved { _, context, volume, log in
            volume.title = "B"
            volume.log("title", "objectID", to: log)
            try context.save()
            context.reset()
            #expect(log.take().isEmpty)
            volume.removeObserver(log, forKeyPath: "title")
        }
    }

    @Test func `a child's save is reported in its parent`() throws {
        try withSaved { _, context, volume, log in
            volume.log("title", to: log)
            let child = context.child()
            let id = volume.objectID
            try child.on {
                let copy = try #require(child.object(with: id) as? Volume)
                copy.title = "C"
                try child.save()
            }
            #expect(log.take() == ["title set old=A new=C"])
        }
    }

    @Test func `values that awakeFromFetch sets are not reported`() throws {
        let entity = GraphModels.entity("Waking", [GraphModels.text("name")], Waking.self)
        let stack = try GraphStack(GraphModels.model([entity]), type: NSInMemoryStoreType)
        let context = stack.context()
        try context.on {
            let object = context.make("Waking", ["name": "saved"])
            try context.save()
            context.refresh(object, mergeChanges: false)
            let log = ChangeLog()
            object.log("name", to: log)
            #expect(object.value(forKey: "name") as? String == "awake" && log.take().isEmpty)
        }
    }

    @Test func `the values that a policy sets in a save are reported`() throws {
        try withSaved { stack, context, volume, log in
            context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            volume.title = "mine"
            volume.log("title", to: log)
            _ = try save(in: stack) { $1.title = "theirs" }
            try context.save()
            #expect(volume.title == "theirs")
            #expect(log.take() == ["title set old=mine new=theirs"])
        }
    }
}

final class Waking: NSManagedObject {
    override func awakeFromFetch() { setValue("awake", forKey: "name") }
}
