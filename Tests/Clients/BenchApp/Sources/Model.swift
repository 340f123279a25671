import CoreData

enum Model {
    static func make() -> NSManagedObjectModel {
        let (shelf, book) = (NSEntityDescription(), NSEntityDescription())
        shelf.name = "Shelf"
        book.name = "Book"
        let (books, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
        books.name = "books"
        books.destinationEntity = book
        books.deleteRule = .cascadeDeleteRule
        owner.name = "shelf"
        owner.destinationEntity = shelf
        owner.maxCount = 1
        owner.inverseRelationship = books
        books.inverseRelationship = owner
        shelf.properties = [attribute("name"), books]
        book.properties = [attribute("title"), owner]
        let model = NSManagedObjectModel()
        model.entities = [shelf, book]
        return model
    }

    private static func attribute(_ name: String) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .stringAttributeType
        return attribute
    }

    /// Each shelf has ten books.
    static func fill(_ context: NSManagedObjectContext, shelves: Int) throws {
        for number in 0..<shelves {
            let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
            shelf.setValue("Shelf \(number)", forKey: "name")
            for index in 0..<10 {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue("Book \(number)-\(index)", forKey: "title")
                book.setValue(shelf, forKey: "shelf")
            }
        }
        try context.save()
    }
}
