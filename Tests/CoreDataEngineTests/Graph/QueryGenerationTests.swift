import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Testing

/// Tests of a pinned context that reads while other contexts write, and of the cost of the reads.
@Suite struct QueryGenerationTests {
    private let folder: GraphFolder
    private let stack: GraphStack

    init() throws {
        folder = try GraphFolder()
        stack = try GraphStack(Library.makeModel(), at: folder.store)
        try Self.fill(stack)
    }

    private static func fill(_ stack: GraphStack) throws {
        let context = stack.context()
        try context.on {
            let author = context.make("Author", ["name": "old"])
            for number in 0..<3 {
                context.make("Book", ["title": "b\(number)", "author": author])
            }
            try context.save()
        }
        stack.counters.reset()
    }

    private func rename(_ name: String) throws {
        let writer = stack.context()
        try writer.on {
            try writer.all("Author")[0].setValue(name, forKey: "name")
            writer.make("Book", ["title": "new"])
            for book in try writer.all("Book", "title == 'b0'") { writer.delete(book) }
            try writer.save()
        }
    }

    private func names(_ context: NSManagedObjectContext) throws -> [String?] {
        try context.all("Author").map { $0.text("name") }
    }

    @Test func `a pinned context reads the old rows while another writes`() throws {
        let context = stack.context()
        try context.on {
            #expect(context.queryGenerationToken == nil)
            try context.setQueryGenerationFrom(.current)
            #expect(context.queryGenerationToken == .current)
            let author = try context.all("Author")[0]
            #expect(author.isFault && context.queryGenerationToken != .current)
            try rename("new")
            #expect(author.text("name") == "old")
            #expect(try names(context) == ["old"])
            #expect(
                try context.all("Book", sort: "title").map { $0.text("title") } == [
                    "b0", "b1", "b2",
                ])
            #expect((author as? Author)?.books.count == 3)
            context.refresh(author, mergeChanges: false)
            #expect(author.text("name") == "old")
            try context.setQueryGenerationFrom(nil)
            #expect(author.text("name") == "old")
            context.refreshAllObjects()
            #expect(author.text("name") == "new")
            #expect(
                try context.all("Book", sort: "title").map { $0.text("title") } == [
                    "b1", "b2", "new",
                ])
        }
    }

    @Test func `the generation is that of the first read, not of the pinning`() throws {
        let context = stack.context()
        try context.on {
            try context.setQueryGenerationFrom(.current)
            try rename("before the read")
            #expect(try names(context) == ["before the read"])
            try rename("after the read")
            #expect(try names(context) == ["before the read"])
        }
    }

    @Test func `an unpinned context does not see rows that a pinned one has read`() throws {
        let pinned = stack.context()
        let other = stack.context()
        try pinned.on {
            try pinned.setQueryGenerationFrom(.current)
            #expect(try pinned.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 3)
            try rename("new")
            let author = try pinned.all("Author")[0]
            #expect(author.text("name") == "old")
            try other.on {
                let same = other.object(with: author.objectID)
                #expect(same.text("name") == "new")
            }
        }
    }

    @Test func `a generation costs two statements once and none around a fault`() throws {
        let context = stack.context()
        try context.on {
            try context.setQueryGenerationFrom(.current)
            stack.counters.reset()
            let books = try context.all("Book", sort: "title") { $0.includesPropertyValues = false }
            #expect(stack.counters.current.statements == [.begin: 1, .select: 2])
            stack.counters.reset()
            for book in books { _ = book.text("title") }
            #expect(stack.counters.current.statements == [.select: 3])
            try rename("new")
            stack.counters.reset()
            try context.setQueryGenerationFrom(nil)
            #expect(stack.counters.current.statements == [.rollback: 1])
        }
    }

    @Test func `a token shares the generation and keeps it alive`() throws {
        let first = stack.context()
        let second = stack.context()
        let found = try first.on { () throws -> NSQueryGenerationToken? in
            try first.setQueryGenerationFrom(.current)
            _ = try names(first)
            return first.queryGenerationToken
        }
        let token = try #require(found)
        try rename("new")
        try first.on { try first.setQueryGenerationFrom(nil) }
        try second.on {
            try second.setQueryGenerationFrom(token)
            #expect(try names(second) == ["old"])
            #expect(second.queryGenerationToken == token)
        }
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: token, requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSQueryGenerationToken.self, from: data)
        #expect(again == token)
    }

    @Test func `a save conflicts with the newest rows and continues with them`() throws {
        let context = stack.context()
        try context.on {
            try context.setQueryGenerationFrom(.current)
            let author = try context.all("Author")[0]
            #expect(author.text("name") == "old")
            try rename("theirs")
            author.setValue("mine", forKey: "name")
            #expect(throws: (any Error).self) { try context.save() }
            #expect(try context.all("Book").count == 3)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(context.queryGenerationToken == .current)
            #expect(try names(context) == ["mine"])
            #expect(try context.all("Book", "title == 'new'").count == 1)
            try rename("after the save")
            #expect(try names(context) == ["mine"])
        }
    }

    @Test func `reset and merge continue with the newest generation`() throws {
        let context = stack.context()
        try context.on {
            try context.setQueryGenerationFrom(.current)
            #expect(try names(context) == ["old"])
            try rename("second")
            context.reset()
            #expect(try names(context) == ["second"])
            let author = try context.all("Author")[0]
            _ = author.text("name")
            let writer = stack.context()
            let received = DidSaves(of: writer)
            try writer.on {
                try writer.all("Author")[0].setValue("third", forKey: "name")
                try writer.save()
            }
            #expect(author.text("name") == "second")
            context.mergeChanges(fromContextDidSave: try #require(received.last))
            #expect(author.text("name") == "third")
        }
    }

    // Proves S1.8-18
    @Test func `a did-save names the new generation of the context`() throws {
        let context = stack.context()
        let received = DidSaves(of: context)
        try context.on {
            try context.setQueryGenerationFrom(.current)
            context.make("Book", ["title": "one more"])
            try context.save()
            let token = received.last?.userInfo?[NSManagedObjectContextQueryGenerationKey]
            #expect(token is NSQueryGenerationToken)
            _ = try names(context)
            #expect(token as? NSQueryGenerationToken == context.queryGenerationToken)
        }
    }

    // D-013
    @Test func `stores without a write-ahead log refuse with instructions`() throws {
        let memory = try GraphStack(Library.makeModel())
        let context = memory.context()
        try context.on {
            let error = #expect(throws: NSError.self) {
                try context.setQueryGenerationFrom(.current)
            }
            #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
            #expect(error?.localizedDescription.contains("journal_mode wal") == true)
            #expect(context.queryGenerationToken == nil)
        }
    }

    // Proves S4.1-11
    @Test func `children, foreign tokens and expired ones are refused`() throws {
        let context = stack.context()
        let child = context.child()
        try child.on {
            _ = #expect(throws: NSError.self) { try child.setQueryGenerationFrom(.current) }
        }
        try context.on {
            try context.setQueryGenerationFrom(.current)
            _ = try names(context)
        }
        let token = try #require(try context.on { context.queryGenerationToken })
        let foreign = try GraphStack(Library.makeModel(), at: folder.store).context()
        try foreign.on {
            _ = #expect(throws: NSError.self) { try foreign.setQueryGenerationFrom(token) }
        }
        try stack.coordinator.remove(stack.coordinator.persistentStores[0])
        let late = stack.context()
        try late.on { _ = #expect(throws: NSError.self) { try late.setQueryGenerationFrom(token) } }
    }
}

/// Keeps the last did-save notification of a context.
///
/// `@unchecked Sendable` because the stepped queue posts on the thread of the test.
private final class DidSaves: @unchecked Sendable {
    private(set) var last: Notification?
    private var observer: (any NSObjectProtocol)?

    init(of context: NSManagedObjectContext) {
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { [weak self] in self?.last = $0 }
    }

    deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }
}
