import CoreData
import XCTest

final class LabsUndoTests: LabsTestCase {
    /// The test opens and closes the undo groups.
    private func undoing(_ context: NSManagedObjectContext) -> UndoManager {
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        return manager
    }

    private func step(_ manager: UndoManager, _ work: () throws -> Void) rethrows {
        manager.beginUndoGrouping()
        try work()
        manager.endUndoGrouping()
    }

    private func titles(_ author: Author) -> [String?] {
        author.books?.array.map { ($0 as? Book)?.title } ?? []
    }

    private func library(
        _ context: NSManagedObjectContext
    ) throws -> (author: Author, books: [Book]) {
        let author = insert(Author.self, into: context, ["name": "Alice"])
        let books = ["One", "Two", "Three"].map {
            insert(Book.self, into: context, ["title": $0, "author": author])
        }
        try context.save()
        return (author, books)
    }

    func testL24_aContextHasNoUndoManagerAndThenUndoDoesNothing() throws {
        let context = container(Ebooks.model).viewContext
        XCTAssertNil(context.undoManager)
        let book = insert(Book.self, into: context, ["title": "A"])
        context.undo()
        XCTAssertEqual(context.insertedObjects, [book])
        context.rollback()
        XCTAssertFalse(context.hasChanges)
    }

    func testL24_valuesGoBackAndForth() throws {
        let context = container(Ebooks.model).viewContext
        let (author, _) = try library(context)
        let manager = undoing(context)
        step(manager) { author.name = "Bob" }
        step(manager) {
            author.name = "Carol"
            author.rating = 5
            author.name = "Dave"
        }
        XCTAssertTrue(manager.canUndo)
        context.undo()
        XCTAssertEqual(author.name, "Bob")
        XCTAssertEqual(author.rating, 0)
        context.undo()
        XCTAssertEqual(author.name, "Alice")
        XCTAssertFalse(manager.canUndo)
        context.redo()
        context.redo()
        XCTAssertEqual(author.name, "Dave")
        XCTAssertEqual(author.rating, 5)
        XCTAssertFalse(manager.canRedo)
    }

    func testL24_anInsertionIsTakenBackAndDoneAgain() throws {
        let context = container(Ebooks.model).viewContext
        let manager = undoing(context)
        var book: Book?
        step(manager) { book = insert(Book.self, into: context, ["title": "New"]) }
        XCTAssertEqual(context.insertedObjects.count, 1)
        context.undo()
        XCTAssertEqual(context.insertedObjects.count, 0)
        XCTAssertFalse(context.hasChanges)
        XCTAssertNil(book?.managedObjectContext)
        context.redo()
        XCTAssertEqual(context.insertedObjects, [try XCTUnwrap(book)])
        XCTAssertEqual(book?.title, "New")
        try context.save()
        XCTAssertEqual(try context.count(for: NSFetchRequest<Book>(entityName: "Book")), 1)
    }

    func testL24_aDeletionIsTakenBackWithItsRelationships() throws {
        let context = container(Ebooks.model).viewContext
        let (author, books) = try library(context)
        let manager = undoing(context)
        step(manager) { context.delete(books[1]) }
        XCTAssertEqual(titles(author), ["One", "Three"])
        context.undo()
        XCTAssertFalse(books[1].isDeleted)
        XCTAssertEqual(titles(author), ["One", "Two", "Three"])
        XCTAssertTrue(books[1].author === author)
        context.redo()
        XCTAssertTrue(books[1].isDeleted)
        XCTAssertEqual(titles(author), ["One", "Three"])
    }

    func testL24_aCascadeIsOneStep() throws {
        let context = container(Ebooks.model).viewContext
        let (author, books) = try library(context)
        let manager = undoing(context)
        step(manager) { context.delete(author) }
        XCTAssertEqual(context.deletedObjects.count, 4)
        context.undo()
        XCTAssertEqual(context.deletedObjects.count, 0)
        XCTAssertEqual(titles(author), ["One", "Two", "Three"])
        XCTAssertTrue(books.allSatisfy { $0.author === author })
    }

    func testL24_relationshipsGoBackOnBothSides() throws {
        let context = container(Ebooks.model).viewContext
        let (author, books) = try library(context)
        let other = insert(Author.self, into: context, ["name": "Other"])
        try context.save()
        let manager = undoing(context)
        step(manager) { books[0].author = other }
        step(manager) {
            author.mutableOrderedSetValue(forKey: "books").insert(books[0], at: 1)
        }
        XCTAssertEqual(titles(author), ["Two", "One", "Three"])
        context.undo()
        XCTAssertEqual(titles(author), ["Two", "Three"])
        XCTAssertEqual(titles(other), ["One"])
        context.undo()
        XCTAssertEqual(titles(author), ["One", "Two", "Three"])
        XCTAssertEqual(titles(other), [])
        context.redo()
        context.redo()
        XCTAssertEqual(titles(author), ["Two", "One", "Three"])
        XCTAssertEqual(titles(other), [])
    }

    func testL24_undoAfterASaveMakesAChangeToSaveAgain() throws {
        let container = container(Ebooks.model)
        let context = container.viewContext
        let (author, books) = try library(context)
        let manager = undoing(context)
        step(manager) {
            author.name = "Bob"
            context.delete(books[0])
        }
        try context.save()
        XCTAssertTrue(manager.canUndo)
        context.undo()
        XCTAssertTrue(context.hasChanges)
        XCTAssertEqual(author.name, "Alice")
        XCTAssertTrue(books[0].managedObjectContext === context)
        XCTAssertEqual(titles(author), ["One", "Two", "Three"])
        try context.save()
        let reader = background(container)
        try reader.performAndWait {
            let request = NSFetchRequest<Author>(entityName: "Author")
            let again = try XCTUnwrap(try reader.fetch(request).first)
            XCTAssertEqual(again.name, "Alice")
            XCTAssertEqual(titles(again), ["One", "Two", "Three"])
        }
    }

    func testL24_changesCanBeKeptOutOfTheUndoStack() throws {
        let context = container(Ebooks.model).viewContext
        let (author, _) = try library(context)
        let manager = undoing(context)
        step(manager) {
            author.name = "Bob"
            context.processPendingChanges()
            manager.disableUndoRegistration()
            author.rating = 5
            context.processPendingChanges()
            manager.enableUndoRegistration()
            author.iTunesId = 7
        }
        context.undo()
        XCTAssertEqual(author.name, "Alice")
        XCTAssertEqual(author.rating, 5)
        XCTAssertEqual(author.iTunesId, 0)
    }

    func testL24_rollbackEmptiesTheUndoStack() throws {
        let context = container(Ebooks.model).viewContext
        let (author, books) = try library(context)
        let manager = undoing(context)
        step(manager) {
            author.name = "Bob"
            context.delete(books[2])
            _ = insert(Book.self, into: context, ["title": "Four"])
        }
        context.rollback()
        XCTAssertFalse(context.hasChanges)
        XCTAssertFalse(manager.canUndo)
        XCTAssertEqual(author.name, "Alice")
        XCTAssertEqual(titles(author), ["One", "Two", "Three"])
    }

    func testL24_aChildHasAnUndoManagerOfItsOwn() throws {
        let parent = container(Ebooks.model).viewContext
        let (author, _) = try library(parent)
        let parents = undoing(parent)
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = parent
        let children = undoing(child)
        let own = try XCTUnwrap(try child.existingObject(with: author.objectID) as? Author)
        step(children) { own.name = "Child" }
        step(children) { own.rating = 4 }
        child.undo()
        XCTAssertEqual(own.rating, 0)
        XCTAssertFalse(parents.canUndo)
        parents.beginUndoGrouping()
        try child.save()
        parents.endUndoGrouping()
        XCTAssertEqual(author.name, "Child")
        parent.undo()
        XCTAssertEqual(author.name, "Alice")
        XCTAssertEqual(own.name, "Child")
        child.undo()
        XCTAssertEqual(own.name, "Alice")
        XCTAssertTrue(child.hasChanges)
    }

    /// D-020
    func testAnEventEndsWhereTheContextIsToldSo() throws {
        let context = container(Ebooks.model).viewContext
        let manager = UndoManager()
        context.undoManager = manager
        for title in ["A", "B"] {
            _ = insert(Book.self, into: context, ["title": title])
            try context.save()
            XCTAssertEqual(manager.groupingLevel, 1)
            context.processPendingChanges()
            XCTAssertEqual(manager.groupingLevel, 0)
        }
        context.undo()
        XCTAssertEqual(context.deletedObjects.count, 1)
        context.undo()
        XCTAssertEqual(context.deletedObjects.count, 2)
        XCTAssertFalse(manager.canUndo)
    }
}
