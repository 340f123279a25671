import CoreData
import Foundation
import Library
import Testing

@Suite struct LibraryTests {
    private let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("library-\(UUID().uuidString).sqlite")

    @Test func `generated classes read and write the model's properties`() throws {
        let context = try Persistence.container(at: url).newBackgroundContext()
        try context.performAndWait {
            let author = Author(context: context)
            #expect(author.name == "Anonymous")
            let book = Book(context: context)
            book.title = "Heights"
            book.pages = 300
            book.isRead = true
            book.rating = 4.5
            book.added = Date(timeIntervalSinceReferenceDate: 5)
            let id = UUID()
            book.id = id
            book.price = NSDecimalNumber(string: "9.99")
            book.cover = Data([1, 2])
            book.place = URL(string: "shelf:3")
            book.default = "yes"
            book.words = ["moor", "wind"] as NSArray
            let comic = Comic(context: context)
            comic.title = "Ink"
            author.addToBooks(book)
            author.insertIntoBooks(comic, at: 0)
            let tag = Tag(context: context)
            tag.word = "old"
            book.addToTags(tag)
            comic.addToTags(NSSet(object: tag))
            try context.save()
            context.reset()
            let found = try #require(try context.fetch(Author.fetchRequest()).first)
            #expect(found.titles == ["Ink", "Heights"])
            let request = Book.fetchRequest()
            request.predicate = NSPredicate(format: "title == 'Heights'")
            let saved = try #require(try context.fetch(request).first)
            #expect(saved.pages == 300 && saved.isRead && saved.rating == 4.5 && saved.id == id)
            #expect(saved.price == NSDecimalNumber(string: "9.99") && saved.cover == Data([1, 2]))
            #expect(saved.place == URL(string: "shelf:3") && saved.default == "yes")
            #expect(saved.words as? [String] == ["moor", "wind"])
            #expect(saved.tags?.count == 1 && saved.author === found)
            let old = try #require(try context.fetch(Tag.fetchRequest()).first)
            #expect(old.books?.count == 2)
            old.removeFromBooks(saved)
            found.removeFromBooks(at: 0)
            try context.save()
            #expect(saved.tags?.count == 0 && found.titles == ["Heights"])
            let comics = try context.fetch(Comic.fetchRequest())
            #expect(comics.first?.colours == 4 && comics.first?.author == nil)
            let note = Note(context: context)
            note.text = "by hand"
            #expect(note.entity.name == "Note")
        }
    }

    @MainActor @Test func `the bundle has every version of the model`() throws {
        let container = try Persistence.container(at: url)
        let names = container.managedObjectModel.entitiesByName.keys.sorted()
        #expect(names == ["Author", "Book", "Comic", "Note", "Tag"])
        #expect(type(of: Note(context: container.viewContext)) == Note.self)
    }

    @MainActor @Test func `the model's fetch requests are functions of their classes`() throws {
        let context = try Persistence.container(at: url).viewContext
        for pages in [100, 300] as [Int32] {
            let book = Book(context: context)
            book.title = "\(pages)"
            book.pages = pages
        }
        let request = try #require(Book.longerThanFetchRequest(count: 200))
        #expect(try context.fetch(request).map(\.title) == ["300"])
    }

    @MainActor @Test func `models are found by name and merged without naming a bundle`() throws {
        for bundles in [nil, [Bundle(for: Author.self)], [Bundle.main]] as [[Bundle]?] {
            let model = try #require(NSManagedObjectModel.mergedModel(from: bundles))
            #expect(model.entitiesByName["Comic"]?.superentity?.name == "Book")
        }
        let container = NSPersistentContainer(name: "Library")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        container.loadPersistentStores { #expect($1 == nil) }
        #expect(Tag(context: container.viewContext).entity.name == "Tag")
    }
}
