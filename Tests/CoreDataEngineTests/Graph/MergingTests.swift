import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Testing

@Suite struct MergingTests {
    private func scene() throws -> (GraphStack, [NSManagedObject], NSManagedObjectContext) {
        let stack = try GraphStack(Library.makeModel())
        let context = stack.context(name: "receiver")
        let authors = try context.on {
            for name in ["a", "b", "c"] { context.make("Author", ["name": name]) }
            try context.save()
            return try context.all("Author", sort: "name")
        }
        return (stack, authors, context)
    }

    /// Runs the body in a new context and saves. Returns the did-save notification and the context.
    private func saved(
        _ stack: GraphStack, _ body: (NSManagedObjectContext) throws -> Void
    ) throws -> (Notification, NSManagedObjectContext) {
        let context = stack.context(name: "writer")
        let posted = Box<Notification?>(nil)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { posted.value = $0 }
        try context.on {
            try body(context)
            try context.save()
        }
        NotificationCenter.default.removeObserver(token)
        return (try #require(posted.value), context)
    }

    // Proves S4.2-1, S4.2-2, S4.2-3
    @Test func `merged changes arrive without making the receiver dirty`() throws {
        let (stack, authors, context) = try scene()
        try context.on {
            _ = authors.map { $0.text("name") }
            let (note, writer) = try saved(stack) { writer in
                let theirs = try writer.all("Author", sort: "name")
                theirs[0].setValue("A", forKey: "name")
                writer.delete(theirs[1])
                writer.make("Author", ["name": "new"])
            }
            #expect(authors[0].text("name") == "a")
            let log = Notes(context)
            context.mergeChanges(fromContextDidSave: note)
            #expect(authors[0].text("name") == "A")
            #expect(authors[1].isDeleted && !authors[0].hasChanges)
            #expect(!context.hasChanges)
            #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty)
            #expect(log.changes == [["refreshed": ["A"], "inserted": ["new"], "deleted": ["b"]]])
            #expect(
                try context.all("Author", sort: "name").map { $0.text("name") } == [
                    "A", "c", "new",
                ])
            try context.save()
            _ = writer
        }
    }

    /// A merged deletion removes links to the object, as a deletion in the merging context does.
    @Test(arguments: [false, true])
    func `a link to an object that another context deleted is nil, or the newer saved link`(
        wasLinked: Bool
    ) throws {
        let (stack, authors, context) = try scene()
        try context.on {
            let book = context.make("Book", ["title": "t"])
            if wasLinked { book.setValue(authors[0], forKey: "author") }
            try context.save()
            book.setValue(authors[1], forKey: "author")
            let (note, _) = try saved(stack) { writer in
                let theirs = try writer.all("Author", sort: "name")
                writer.delete(theirs[1])
                if !wasLinked { try writer.all("Book")[0].setValue(theirs[2], forKey: "author") }
            }
            context.mergeChanges(fromContextDidSave: note)
            #expect(book.object("author") === (wasLinked ? nil : authors[2]))
            #expect(book.hasPersistentChangedValues == wasLinked)
            try context.save()
            context.reset()
            let saved = try context.all("Book")[0].object("author")?.text("name")
            #expect(saved == (wasLinked ? nil : "c"))
        }
    }

    // Proves S4.2-1
    @Test func `unsaved edits stay and no longer conflict`() throws {
        let (stack, authors, context) = try scene()
        try context.on {
            let author = try #require(authors[0] as? Author)
            author.name = "mine"
            context.make("Book", ["title": "mine", "author": author])
            let (note, writer) = try saved(stack) { writer in
                let author = try #require(try writer.all("Author", sort: "name").first)
                author.setValue("theirs", forKey: "name")
                writer.make("Book", ["title": "theirs", "author": author])
            }
            context.mergeChanges(fromContextDidSave: note)
            #expect(author.name == "mine" && author.hasChanges)
            #expect(Set(author.books.map(\.title)) == ["mine", "theirs"])
            try context.save()
            #expect(author.rowVersion == 3)
            context.reset()
            #expect(try context.all("Book").count == 2)
            _ = writer
        }
    }

    // Proves S4.2-2, S4.2-4
    @Test func `a merge neither loads unregistered objects nor reports their deletion`() throws {
        let (stack, _, context) = try scene()
        try context.on {
            context.reset()
            let (note, writer) = try saved(stack) { writer in
                let theirs = try writer.all("Author", sort: "name")
                theirs[0].setValue("A", forKey: "name")
                writer.delete(theirs[1])
            }
            let log = Notes(context)
            stack.counters.reset()
            context.mergeChanges(fromContextDidSave: note)
            #expect(log.changes.isEmpty && stack.selects() == 0)
            #expect(context.registeredObjects.isEmpty)
            _ = writer
        }
    }

    @Test func `a late merge that names deleted rows has no effect`() throws {
        let (stack, _, context) = try scene()
        try context.on {
            let (first, writer) = try saved(stack) { writer in
                for name in ["x", "y"] { writer.make("Author", ["name": name]) }
            }
            let (second, other) = try saved(stack) { other in
                other.delete(try #require(try other.all("Author", "name == 'x'").first))
            }
            context.mergeChanges(fromContextDidSave: second)
            context.mergeChanges(fromContextDidSave: first)
            #expect(!context.hasChanges)
            #expect(
                try context.all("Author", sort: "name").map { $0.text("name") } == [
                    "a", "b", "c", "y",
                ])
            try context.save()
            context.mergeChanges(fromContextDidSave: first)
            context.mergeChanges(fromContextDidSave: first)
            #expect(try context.all("Author").count == 4)
            _ = (writer, other)
        }
    }

    @Test func `a merged deletion removes the links to the object`() throws {
        let (stack, authors, context) = try scene()
        try context.on {
            let book = context.make("Book", ["title": "t", "author": authors[1]])
            let (note, writer) = try saved(stack) { writer in
                writer.delete(try writer.existingObject(with: authors[1].objectID))
            }
            context.mergeChanges(fromContextDidSave: note)
            #expect(book.object("author") == nil)
            try context.save()
            context.reset()
            #expect(try context.all("Book", "author != nil").isEmpty)
            #expect(try context.all("Book").count == 1)
            _ = writer
        }
    }

    @Test func `another stack's save can be merged too`() throws {
        let folder = try GraphFolder()
        let model = Library.makeModel()
        let stack = try GraphStack(model, at: folder.store)
        let context = stack.context()
        try context.on {
            let author = context.make("Author", ["name": "old"])
            try context.save()
            let (note, writer) = try saved(try GraphStack(model, at: folder.store)) {
                try $0.all("Author").first?.setValue("new", forKey: "name")
            }
            context.mergeChanges(fromContextDidSave: note)
            #expect(author.text("name") == "new")
            author.setValue("newer", forKey: "name")
            try context.save()
            _ = writer
        }
    }

    @Test func `a save of another model's stack merges nothing`() throws {
        let (stack, authors, _) = try scene()
        let (note, writer) = try saved(stack) { $0.make("Author", ["name": "d"]) }
        let model = NSManagedObjectModel()
        let only = NSEntityDescription()
        only.name = "Only"
        model.entities = [only]
        let context = try GraphStack(model).context(name: "stranger")
        try context.on {
            context.mergeChanges(fromContextDidSave: note)
            #expect(context.registeredObjects.isEmpty)
            #expect(!context.hasChanges)
        }
        _ = (writer, authors)
    }

    // Proves S4.4-1
    @Test func `an automatic merge is a block on the receiver's queue`() throws {
        let (stack, authors, context) = try scene()
        context.automaticallyMergesChangesFromParent = true
        let queue = try #require(context.stepped)
        try context.on {
            _ = authors[0].text("name")
            authors[2].setValue("mine", forKey: "name")
        }
        let (_, writer) = try saved(stack) { writer in
            let theirs = try writer.all("Author", sort: "name")
            theirs[0].setValue("A", forKey: "name")
            theirs[2].setValue("theirs", forKey: "name")
        }
        try context.on { #expect(authors[0].text("name") == "a") }
        #expect(queue.pending.map(\.label) == ["merge from context"])
        #expect(queue.runNext() != nil)
        try context.on {
            #expect(authors[0].text("name") == "A")
            #expect(authors[2].text("name") == "mine")
            try context.save()
            #expect(queue.pending.isEmpty)
        }
        context.automaticallyMergesChangesFromParent = false
        _ = try saved(stack) { try $0.all("Author").first?.setValue("z", forKey: "name") }
        #expect(queue.pending.isEmpty)
        _ = writer
    }

    @Test func `a merge is queued before the blocks that an observer of the save enqueues`()
        throws
    {
        let (stack, authors, context) = try scene()
        context.automaticallyMergesChangesFromParent = true
        let queue = try #require(context.stepped)
        try context.on { #expect(authors[0].text("name") == "a") }
        // Unsafe because the queue's blocks run on the thread of this test.
        nonisolated(unsafe) var seen: [String?] = []
        nonisolated(unsafe) let watched = authors[0]
        let names: [Notification.Name] = [
            .NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
        ]
        let coordinator = stack.coordinator
        let tokens = names.map {
            NotificationCenter.default.addObserver(forName: $0, object: nil, queue: nil) { note in
                let saver = note.object as? NSManagedObjectContext
                guard saver?.persistentStoreCoordinator === coordinator else { return }
                queue.enqueue("observer") { seen.append(watched.text("name")) }
            }
        }
        defer { tokens.forEach(NotificationCenter.default.removeObserver) }
        let (_, writer) = try saved(stack) { writer in
            try writer.all("Author", sort: "name")[0].setValue("A", forKey: "name")
        }
        #expect(queue.pending.map(\.label) == ["merge from context", "observer", "observer"])
        while queue.runNext() != nil {}
        #expect(seen == ["A", "A"])
        _ = writer
    }

    @Test func `a merge after its store was removed changes nothing`() throws {
        let (stack, authors, context) = try scene()
        context.automaticallyMergesChangesFromParent = true
        try context.on { authors[0].setValue("mine", forKey: "name") }
        _ = try saved(stack) { try $0.all("Author", sort: "name")[0].setValue("A", forKey: "name") }
        try stack.coordinator.remove(try #require(stack.coordinator.persistentStores.first))
        let queue = try #require(context.stepped)
        #expect(queue.pending.map(\.label) == ["merge from context", "store removed"])
        while queue.runNext() != nil {}
        try context.on { #expect(context.registeredObjects.isEmpty) }
    }

    @Test func `a merge that cannot read makes faults, and keeps changed objects`() throws {
        let folder = try GraphFolder()
        let stack = try GraphStack(Library.makeModel(), at: folder.store)
        let context = stack.context()
        let authors = try context.on {
            for name in ["a", "b"] { context.make("Author", ["name": name]) }
            try context.save()
            let authors = try context.all("Author", sort: "name")
            _ = authors.map { $0.text("name") }
            authors[1].setValue("mine", forKey: "name")
            return authors
        }
        // Another stack wrote the rows, so they come from the file.
        let (note, writer) = try saved(GraphStack(Library.makeModel(), at: folder.store)) {
            for author in try $0.all("Author") { author.setValue("new", forKey: "name") }
        }
        try context.on {
            stack.fail(at: .read)
            context.mergeChanges(fromContextDidSave: note)
            stack.fail(at: nil)
            #expect(authors[0].isFault && !authors[1].isFault)
            #expect(authors[0].text("name") == "new" && authors[1].text("name") == "mine")
            #expect(context.saveError()?.code == NSManagedObjectMergeError)
            context.refresh(authors[1], mergeChanges: true)
            try context.save()
            #expect(authors[1].text("name") == "mine")
        }
        _ = writer
    }

    // Proves S4.4-1
    @Test func `a child merges its parent's saves automatically`() throws {
        let (_, authors, parent) = try scene()
        let child = parent.child()
        let other = parent.child(name: "other")
        child.automaticallyMergesChangesFromParent = true
        try parent.on {
            let mine = try child.on { child.object(with: authors[0].objectID) }
            try child.on { #expect(mine.text("name") == "a") }
            try other.on {
                other.object(with: authors[0].objectID).setValue("other", forKey: "name")
                try other.save()
            }
            #expect(child.stepped?.pending.isEmpty == true)
            try parent.save()
            #expect(child.stepped?.runNext() != nil)
            #expect(other.stepped?.runNext() == nil)
            try child.on { #expect(mine.text("name") == "other") }
        }
    }

    // Proves S1.1-12, S1.3-3, S1.8-2
    @Test func `did-save lists each object once, by its change`() throws {
        let (_, authors, context) = try scene()
        try context.on {
            let log = Notes(context)
            let new = context.make("Author", ["name": "new"])
            authors[0].setValue("A", forKey: "name")
            context.delete(authors[1])
            context.make("Author", ["name": "gone"])
            context.delete(try #require(try context.all("Author", "name == 'gone'").first))
            context.processPendingChanges()
            new.setValue("newer", forKey: "name")
            context.processPendingChanges()
            context.processPendingChanges()
            #expect(log.changes.count == 3)
            #expect(log.changes.last == ["updated": ["newer"]])
            #expect(context.updatedObjects == [authors[0]])
            try context.save()
            #expect(log.saves == [["inserted": ["newer"], "updated": ["A"], "deleted": ["b"]]])
        }
    }
}
