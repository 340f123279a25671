import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Synchronization
import Testing

/// Tests of merging a parent's saves into child contexts that merge automatically.
@Suite struct ArrivingRowsTests {
    /// A queue that counts the blocks that enter it, while counting is on.
    private final class WatchedQueue: ConfinementQueue {
        private let inner = SteppedQueue(label: "parent")
        private let watch = Mutex((isOn: false, entries: 0))

        var label: String {
            get { inner.label }
            set { inner.label = newValue }
        }
        var isCurrent: Bool { inner.isCurrent }

        func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void) {
            inner.enqueue(label, work)
        }

        func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
            watch.withLock { if $0.isOn { $0.entries += 1 } }
            return try inner.runAndWait(body)
        }

        /// The number of times that work on other queues enters this queue while the body runs.
        func entries(during body: () throws -> Void) rethrows -> Int {
            watch.withLock { $0 = (true, 0) }
            try body()
            return watch.withLock { watch in
                watch.isOn = false
                return watch.entries
            }
        }
    }

    private static func model() -> NSManagedObjectModel {
        let author = GraphModels.entity(
            "Author", [GraphModels.text("name"), GraphModels.text("mark")])
        author.attributesByName["mark"]?.isTransient = true
        let book = GraphModels.entity(
            "Book", [GraphModels.text("name"), GraphModels.number("pages")])
        GraphModels.relate(
            .init(owner: author, name: "books", toMany: true), .init(owner: book, name: "author"))
        return GraphModels.model([author, book])
    }

    private struct Family {
        let parent: NSManagedObjectContext
        let child: NSManagedObjectContext
        let queue: WatchedQueue
        let ids: [NSManagedObjectID]

        /// Runs the next pending merge of the child. Returns the number of times that it enters the
        /// queue of the parent.
        func merge() -> Int {
            queue.entries { #expect(child.stepped?.runNext()?.label == "merge from context") }
        }
    }

    /// A parent context that has saved the authors "a" and "b" and the book "c" of "a", and a child
    /// that merges automatically.
    private func family() throws -> Family {
        let stack = try GraphStack(Self.model())
        let queue = WatchedQueue()
        let parent = NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: queue)
        parent.persistentStoreCoordinator = stack.coordinator
        let ids = try parent.on {
            let authors = ["a", "b"].map { parent.make("Author", ["name": $0]) }
            let book = parent.make("Book", ["name": "c", "author": authors[0]])
            try parent.save()
            return (authors + [book]).map(\.objectID)
        }
        let child = parent.child()
        child.automaticallyMergesChangesFromParent = true
        return Family(parent: parent, child: child, queue: queue, ids: ids)
    }

    @Test func `the rows of a save travel with its merge`() throws {
        let family = try family()
        let (parent, child) = (family.parent, family.child)
        let mine = try child.on { family.ids.map(child.object(with:)) }
        try child.on {
            #expect(mine.map { $0.text("name") } == ["a", "b", "c"])
            mine[1].setValue("mine", forKey: "name")
        }
        let theirs = try parent.on {
            let theirs = family.ids.map(parent.object(with:))
            theirs[0].setValue("A", forKey: "name")
            theirs[0].setValue("marked", forKey: "mark")
            theirs[1].setValue("B", forKey: "name")
            theirs[2].setValue(theirs[1], forKey: "author")
            parent.make("Author", ["name": "d"])
            try parent.save()
            theirs[0].setValue("later", forKey: "name")
            return theirs
        }
        #expect(family.merge() == 0)
        let entries = try family.queue.entries {
            try child.on {
                #expect(mine.map { $0.text("name") } == ["A", "mine", "c"])
                // A transient value is visible only in the context that set it.
                #expect(mine[0].text("mark") == nil && mine[2].object("author") === mine[1])
            }
        }
        #expect(entries == 0)
        try child.on {
            #expect(mine[1].names("books") == ["c"] && mine[0].names("books") == [])
            try child.save()
        }
        try parent.on { #expect(theirs.map { $0.text("name") } == ["later", "mine", "c"]) }
    }

    @Test func `a merge keeps values that the child has saved after the merge was sent`() throws {
        let family = try family()
        let (parent, child) = (family.parent, family.child)
        let mine = try child.on { child.object(with: family.ids[2]) }
        try child.on { #expect(mine.text("name") == "c") }
        try parent.on {
            parent.object(with: family.ids[2]).setValue("C", forKey: "name")
            try parent.save()
        }
        try child.on {
            mine.setValue(7, forKey: "pages")
            try child.save()
        }
        #expect(family.merge() == 0)
        try child.on {
            #expect(mine.text("name") == "C" && mine.value(forKey: "pages") as? Int == 7)
            #expect(!child.hasChanges)
            // The parent has another value than nil, so the child has a change.
            mine.setValue(nil, forKey: "pages")
            try child.save()
        }
        try parent.on {
            #expect(parent.object(with: family.ids[2]).value(forKey: "pages") == nil)
        }
    }

    @Test func `a merge with a fault or a deleted object does not fetch from the parent`()
        throws
    {
        let family = try family()
        let (parent, child) = (family.parent, family.child)
        let mine = try child.on { family.ids.map(child.object(with:)) }
        try child.on {
            mine[2].setValue(nil, forKey: "author")
            child.refresh(mine[0], mergeChanges: true)
            child.delete(mine[1])
        }
        try parent.on {
            // The book moved to "b" and back. Its row has a newer version but still refers to "a".
            parent.object(with: family.ids[2]).setValue("C", forKey: "name")
            parent.object(with: family.ids[0]).setValue("A", forKey: "name")
            try parent.save()
        }
        #expect(family.merge() == 0)
        try child.on {
            #expect(mine[2].text("name") == "C" && mine[2].object("author") == nil)
            #expect(mine[0].text("name") == "A" && mine[0].names("books") == [])
            try child.save()
        }
        try parent.on {
            try parent.save()
            #expect(try parent.all("Author").map { $0.text("name") } == ["A"])
        }
    }

    @Test func `a grandchild merges what its parent, a child, saves`() throws {
        let family = try family()
        let grandchild = family.child.child(name: "grandchild")
        grandchild.automaticallyMergesChangesFromParent = true
        let mine = try grandchild.on { grandchild.object(with: family.ids[0]) }
        try grandchild.on { #expect(mine.text("name") == "a") }
        try family.child.on {
            family.child.object(with: family.ids[0]).setValue("child", forKey: "name")
            try family.child.save()
        }
        let entries = family.queue.entries {
            #expect(grandchild.stepped?.runNext()?.label == "merge from context")
        }
        #expect(entries == 0)
        try grandchild.on { #expect(mine.text("name") == "child") }
    }
}
