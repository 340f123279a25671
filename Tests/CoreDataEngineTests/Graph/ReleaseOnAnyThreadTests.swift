import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Dispatch
import Synchronization
import Testing

@testable import CoreDataEngine

/// Any thread releases the last reference to an object while its context works. These tests detect
/// wrong results. The address sanitizer detects uses after release. The thread sanitizer ignores
/// every `deinit`, so two tests remove objects from the identity map by direct calls.
@Suite struct ReleaseOnAnyThreadTests {
    /// A library with the authors "a0", "a1" and so on. Each has three books.
    private func library(_ authors: Int, at url: URL? = nil) throws -> GraphStack {
        let model = Library.makeModel()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(
            CountedAuthor.self)
        let stack = try GraphStack(model, at: url)
        let context = stack.context()
        try context.on {
            for index in 0..<authors {
                let author = context.make("Author", ["name": "a\(index)"])
                for number in 0..<3 {
                    context.make("Book", ["title": "\(index).\(number)", "author": author])
                }
            }
            try context.save()
        }
        return stack
    }

    private func realContext(_ stack: GraphStack) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = stack.coordinator
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        context.automaticallyMergesChangesFromParent = true
        return context
    }

    @Test func `objects are released while the context fetches and reads`() throws {
        let stack = try library(200)
        let context = stack.context()
        let releasers = Releasers()
        try context.on {
            for round in 0..<30 {
                let authors = try context.all("Author")
                #expect(Set(authors.map(\.objectID)).count == 200)
                for (index, author) in authors.enumerated() where index % 3 == round % 3 {
                    #expect(author.text("name")?.first == "a")
                }
                releasers.give(authors)
            }
            try releasers.giveAtRest { try context.all("Author") }
        }
        #expect(releasers.finish() == 6200)
        #expect(releasers.ends > 0)
        try context.on {
            #expect(context.registeredObjects.isEmpty)
            #expect(context.registry.count == 0)
            let authors = try context.all("Author")
            #expect(authors.count == 200)
        }
    }

    @Test func `objects are released while the context looks up the same objects`() throws {
        let stack = try library(20)
        let context = stack.context()
        let releasers = Releasers()
        var wrong = 0
        try context.on {
            let ids = try context.all("Author").map(\.objectID)
            for round in 0..<400 {
                for (index, id) in ids.enumerated() {
                    let known = context.registeredObject(for: id)
                    let object = context.object(with: id)
                    if let known, known !== object { wrong += 1 }
                    if object.objectID != id { wrong += 1 }
                    if (index + round) % 7 == 0, object.text("name")?.first != "a" { wrong += 1 }
                    releasers.give([object])
                }
            }
            try releasers.giveAtRest { try context.all("Author") }
        }
        #expect(releasers.finish() == 8020)
        #expect(releasers.ends > 0)
        #expect(wrong == 0)
        try context.on { #expect(context.registry.count == 0) }
    }

    @Test func `removing an object from the identity map waits for a lookup`() throws {
        let stack = try library(20)
        let context = stack.context()
        let releasers = Releasers { object in
            guard let object = object as? NSManagedObject, let registry = object.registry
            else { return }
            registry.remove(object, key: object.key, root: object.rootIndex)
        }
        try context.on {
            let ids = try context.all("Author").map(\.objectID)
            for _ in 0..<200 {
                for id in ids { releasers.give([context.object(with: id)]) }
                releasers.give(try context.all("Book"))
            }
        }
        #expect(releasers.finish() == 200 * 80)
        try context.on { #expect(context.registry.count == 0) }
    }

    @Test(arguments: [false, true])
    func `objects are released while two contexts save and merge each other's changes`(
        onDisk: Bool
    ) throws {
        let folder = try GraphFolder()
        let stack = try library(20, at: onDisk ? folder.store : nil)
        let contexts = [realContext(stack), realContext(stack)]
        let releasers = Releasers()
        let rounds = 25
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: contexts.count) { writer in
            for round in 0..<rounds {
                do {
                    try contexts[writer].on {
                        try Self.write(round, by: writer, in: contexts[writer], releasers)
                    }
                } catch {
                    failures.withLock { $0.append("writer \(writer), round \(round): \(error)") }
                }
            }
        }
        // The queues may still contain merges of the last saves, so objects are refreshed after
        // them.
        for context in contexts { try context.on { context.refreshAllObjects() } }
        #expect(releasers.finish() > 0)
        #expect(failures.withLock { $0 } == [])
        for context in contexts { try context.on { #expect(context.registry.count == 0) } }
        let reader = stack.context()
        try reader.on {
            let (authors, books) = (try reader.all("Author"), try reader.all("Book"))
            #expect(authors.count == 20)
            #expect(books.count == 60 + contexts.count * rounds)
            for author in authors {
                let books = try #require(author.value(forKey: "books") as? NSSet)
                let found = try reader.all("Book", "author == %@", [author])
                #expect(books.count == found.count)
            }
        }
    }

    /// Adds three books, deletes two, renames authors, and follows relationships.
    private static func write(
        _ round: Int, by writer: Int, in context: NSManagedObjectContext, _ releasers: Releasers
    ) throws {
        let authors = try context.all("Author", sort: "name")
        let author = authors[(round * 7 + writer) % authors.count]
        let made = (0..<3).map { number in
            context.make(
                "Book", ["title": "\(writer).\(round).\(number)", "year": round, "author": author])
        }
        authors[(round * 3) % authors.count].setValue("b\(writer).\(round)", forKey: "name")
        context.delete(made[0])
        try context.save()
        context.delete(made[1])
        for author in authors where author.hash % 3 == round % 3 {
            releasers.give((author.value(forKey: "books") as? NSSet)?.allObjects ?? [])
        }
        releasers.give(authors)
        releasers.give(made)
        try context.save()
        if round % 5 == 4 { context.refreshAllObjects() }
        if round % 8 == 7 { context.reset() }
    }

    @Test func `objects are released while a child saves and gets permanent ids`() throws {
        let stack = try library(5)
        let parent = realContext(stack)
        let releasers = Releasers()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        for round in 0..<20 {
            try child.on {
                let author = try #require(try child.all("Author", sort: "name").first)
                let made = (0..<10).map {
                    child.make("Book", ["title": "c\(round).\($0)", "author": author])
                }
                try child.save()
                releasers.give(made)
            }
            try parent.on {
                releasers.give(Array(parent.registeredObjects))
                try parent.save()
            }
            try child.on {
                let books = try child.all("Book", "title BEGINSWITH %@", ["c\(round)."])
                #expect(books.count == 10)
                #expect(books.allSatisfy { !$0.objectID.isTemporaryID })
                #expect(books.allSatisfy { $0.object("author") != nil })
                releasers.give(books)
                if round % 4 == 3 { child.refreshAllObjects() }
            }
        }
        for context in [child, parent] { try context.on { context.refreshAllObjects() } }
        #expect(releasers.finish() > 0)
        for context in [child, parent] { try context.on { #expect(context.registry.count == 0) } }
        let reader = stack.context()
        #expect(try reader.on { try reader.all("Book").count } == 15 + 200)
    }

    @Test func `objects are released while other contexts of their coordinator are created`() throws
    {
        let stack = try library(1)
        let releasers = Releasers()
        for _ in 0..<3000 { releasers.give([stack.context()]) }
        #expect(releasers.finish() == 3000)
    }

    @Test func `objects and their context are released in any order`() throws {
        let stack = try library(10)
        let releasers = Releasers()
        var remaining: [Weak] = []
        for round in 0..<60 {
            let context = stack.context()
            try context.on {
                let authors = try context.all("Author")
                // Both ends of the relationship are read, so that the objects refer to each other.
                let books = authors.flatMap {
                    ($0.value(forKey: "books") as? NSSet)?.allObjects as? [NSManagedObject] ?? []
                }
                #expect(books.allSatisfy { $0.object("author") != nil })
                if round % 2 == 0 { authors[0].setValue("unsaved", forKey: "name") }
                let objects = authors + books
                remaining += (objects + [context]).map { Weak($0) }
                let cut = (round * 11) % objects.count
                releasers.give(Array(objects[..<cut]))
                releasers.give([context])
                releasers.give(Array(objects[cut...]))
            }
        }
        let last = stack.context()
        try last.on { try releasers.giveAtRest { try last.all("Author") } }
        #expect(releasers.finish() == 60 * 41 + 10)
        #expect(releasers.ends > 0)
        #expect(remaining.allSatisfy { $0.object == nil })
    }

    private struct Weak {
        weak var object: AnyObject?

        init(_ object: AnyObject) { self.object = object }
    }
}

/// An author that counts its releases on each thread with a tally.
final class CountedAuthor: NSManagedObject {
    fileprivate final class Tally {
        var count = 0
    }

    deinit { (Thread.current.threadDictionary["tally"] as? Tally)?.count += 1 }
}

/// Threads that release the objects passed to them, a few at a time.
private final class Releasers {
    private let condition = NSCondition()
    private var waiting: [AnyObject] = []
    private var isClosed = false
    private var isAtRest = false
    private var count = 0
    /// The number of authors that these threads have released.
    private(set) var ends = 0
    private let running = DispatchGroup()
    private let prepare: @Sendable (AnyObject) -> Void

    /// - Parameter prepare: called with each object before the thread releases it.
    init(threads: Int = 3, prepare: @escaping @Sendable (AnyObject) -> Void = { _ in }) {
        self.prepare = prepare
        for _ in 0..<threads {
            running.enter()
            Thread.detachNewThread { [self] in
                let tally = CountedAuthor.Tally()
                Thread.current.threadDictionary["tally"] = tally
                while releaseSome() {}
                end(tally.count)
            }
        }
    }

    func give(_ objects: [Any]) {
        condition.lock()
        waiting += objects.map { $0 as AnyObject }
        condition.broadcast()
        condition.unlock()
    }

    /// Passes on objects while the threads wait. When this function returns, the caller has dropped
    /// its references, so the threads release the last ones.
    func giveAtRest(_ objects: () throws -> [Any]) rethrows {
        rest(true)
        defer { rest(false) }
        give(try objects())
    }

    private func rest(_ isAtRest: Bool) {
        condition.lock()
        self.isAtRest = isAtRest
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until everything is released.
    ///
    /// - Returns: the number of objects.
    func finish() -> Int {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
        running.wait()
        return count
    }

    private func end(_ ends: Int) {
        condition.lock()
        self.ends += ends
        condition.unlock()
        running.leave()
    }

    private func releaseSome() -> Bool {
        condition.lock()
        while isAtRest || (waiting.isEmpty && !isClosed) { condition.wait() }
        let some = Array(waiting.suffix(8))
        waiting.removeLast(some.count)
        count += some.count
        condition.unlock()
        for object in some { prepare(object) }
        return !some.isEmpty
    }
}

// `@unchecked Sendable` because `condition` guards everything, and the counts are read after the
// threads have ended.
extension Releasers: @unchecked Sendable {}
