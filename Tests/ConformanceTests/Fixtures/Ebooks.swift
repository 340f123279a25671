import CoreData

/// A model of authors with an ordered to-many relationship to their books, which cascades.
enum Ebooks {
    static let model = makeModel()

    private static func makeModel() -> NSManagedObjectModel {
        let title = attribute("title", .stringAttributeType, optional: false)
        title.setValidationPredicates(
            [NSPredicate(format: "SELF.length >= 1")],
            withValidationWarnings: ["\(NSValidationStringTooShortError)"])
        let book = entity(
            "Book", Book.self,
            [
                attribute("iTunesId", .integer32AttributeType, default: 0),
                attribute("rating", .integer16AttributeType, default: 3),
                title,
                attribute("year", .integer16AttributeType),
            ])
        let author = entity(
            "Author", Author.self,
            [
                attribute("iTunesId", .integer32AttributeType, default: 0),
                attribute("name", .stringAttributeType),
                attribute("rating", .integer16AttributeType, default: 0),
            ])
        relate(
            End(
                owner: author, name: "books", toMany: true, ordered: true,
                rule: .cascadeDeleteRule),
            End(owner: book, name: "author"))
        return ConformanceTests.model(author, book)
    }
}

final class Book: NSManagedObject {
    override class var propertySlots: [String]? {
        ["author", "iTunesId", "rating", "title", "year"]
    }

    var author: Author? {
        get { readObject(0) }
        set { writeObject(0, newValue) }
    }
    var iTunesId: Int32 {
        get { read(1) }
        set { write(1, newValue) }
    }
    var rating: Int16 {
        get { read(2) }
        set { write(2, newValue) }
    }
    var title: String? {
        get { read(3) }
        set { write(3, newValue) }
    }
    var year: Int16 {
        get { read(4) }
        set { write(4, newValue) }
    }
}

final class Author: NSManagedObject {
    override class var propertySlots: [String]? { ["iTunesId", "name", "rating"] }
    override class var relationshipSlots: [String]? { ["books"] }

    var iTunesId: Int32 {
        get { read(0) }
        set { write(0, newValue) }
    }
    var name: String? {
        get { read(1) }
        set { write(1, newValue) }
    }
    var rating: Int16 {
        get { read(2) }
        set { write(2, newValue) }
    }
    var books: NSOrderedSet? {
        get { NSOrderedSet(array: readObjects(0)) }
        set { writeObjects(0, newValue?.array as? [Book] ?? []) }
    }

    func addToBooks(_ book: Book) { mutableOrderedSetValue(forKey: "books").add(book) }

    func removeFromBooks(_ book: Book) { mutableOrderedSetValue(forKey: "books").remove(book) }
}
