import CoreDataEngine
import CoreDataStore
import Foundation
import Testing

/// Tests of failures that are injected at named points of the engine.
@Suite struct FaultPointTests {
    private let folder: GraphFolder
    private let stack: GraphStack

    init() throws {
        folder = try GraphFolder()
        stack = try GraphStack(Library.makeModel(), at: folder.store)
    }

    private func count() throws -> Int {
        stack.fail(at: nil)
        let context = stack.context()
        return try context.on { try context.all("Author").count }
    }

    @Test(arguments: [
        (FaultPoint.write, 0), (.committed, 1), (.didSave, 1),
    ])
    func `a save that fails at a point has written everything before it`(
        point: FaultPoint, rows: Int
    ) throws {
        stack.fail(at: point)
        let context = stack.context()
        try context.on {
            context.make("Author", ["name": "a"])
            #expect(throws: (any Error).self) { try context.save() }
            #expect(context.hasChanges)
        }
        #expect(try count() == rows)
    }

    @Test func `a save that cannot read a list writes nothing, and the next one succeeds`() throws {
        let stack = try GraphStack(
            GraphModels.relationships(), at: folder.url.appendingPathComponent("lists"))
        let context = stack.context()
        try context.on {
            let list = context.make("List", ["name": "l"])
            for name in ["a", "b"] {
                let track = context.make("Track", ["name": name])
                track.setValue(list, forKey: "list")
            }
            try context.save()
            context.refresh(list, mergeChanges: false)
            context.make("Track", ["name": "c"]).setValue(list, forKey: "list")
            stack.fail(at: .read)
            #expect(throws: (any Error).self) { try context.save() }
            stack.fail(at: nil)
            #expect(context.hasChanges)
            let other = stack.context()
            let saved = try other.on { try other.all("Track").count }
            #expect(saved == 2)
            try context.save()
            context.refresh(list, mergeChanges: false)
            let tracks = list.value(forKey: "tracks") as? NSOrderedSet
            #expect(tracks?.map { ($0 as? NSManagedObject)?.text("name") } == ["a", "b", "c"])
        }
    }

    @Test func `a parent that cannot read accepts nothing of its child's save`() throws {
        let parent = stack.context()
        let id = try parent.on {
            let author = parent.make("Author", ["name": "a"])
            try parent.save()
            return author.objectID
        }
        // With an interval of 0, every cached row is too old.
        parent.performAndWait {
            parent.stalenessInterval = 0
            parent.reset()
        }
        let child = parent.child()
        try child.on {
            let author = child.object(with: id)
            author.setValue("b", forKey: "name")
            parent.performAndWait { parent.reset() }
            stack.fail(at: .read)
            #expect(throws: (any Error).self) { try child.save() }
            stack.fail(at: nil)
            #expect(child.hasChanges && parent.performAndWait { !parent.hasChanges })
            try child.save()
        }
        try parent.on {
            try parent.save()
            #expect(parent.object(with: id).text("name") == "b")
        }
    }

    @Test func `a fetch that fails at its point throws, and the next one succeeds`() throws {
        stack.fail(at: .read)
        let context = stack.context()
        try context.on {
            _ = #expect(throws: (any Error).self) { try context.all("Author") }
        }
        #expect(try count() == 0)
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `a save that failed after its commit conflicts with its own rows`(_ type: String) throws {
        let stack =
            type == NSSQLiteStoreType
            ? self.stack : try GraphStack(Library.makeModel(), type: type)
        stack.fail(at: .committed)
        let context = stack.context()
        try context.on {
            context.make("Author", ["name": "a"])
            #expect(throws: (any Error).self) { try context.save() }
            stack.fail(at: nil)
            #expect(context.saveError()?.code == 133_020)
            context.rollback()
            let authors = try context.all("Author")
            #expect(authors.count == 1)
        }
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `the rows that a failed save has written are found once`(_ type: String) throws {
        let stack = try GraphStack(Library.makeModel(), type: type)
        let context = stack.context()
        stack.fail(at: .committed)
        try context.on {
            let author = context.make("Author", ["name": "a"])
            #expect(context.saveError() != nil)
            stack.fail(at: nil)
            let found = try context.all("Author")
            #expect(found == [author])
            author.setValue("b", forKey: "name")
            #expect(try context.all("Author", "name = 'a'").isEmpty)
            #expect(try context.all("Author", "name = 'b'") == [author])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            #expect(try context.count(for: request) == 1)
        }
    }
}
