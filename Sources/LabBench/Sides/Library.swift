// Owns the model that the built-in workloads use and its two classes, as an app would write them.

import CoreData

/// Somebody who wrote books.
final class Author: NSManagedObject {
    override class var propertySlots: [String]? { ["name"] }
    override class var relationshipSlots: [String]? { ["books"] }

    var name: String {
        get { read(0) }
        set { write(0, newValue) }
    }

    var books: [NSManagedObject] { readObjects(0) }
}

/// A book of one author.
final class Book: NSManagedObject {
    override class var propertySlots: [String]? { ["author", "copies", "pages", "title", "year"] }

    var author: Author? {
        get { readObject(0) }
        set { writeObject(0, newValue) }
    }

    var copies: Int64 {
        get { read(1) }
        set { write(1, newValue) }
    }

    var pages: Int64 {
        get { read(2) }
        set { write(2, newValue) }
    }

    var title: String {
        get { read(3) }
        set { write(3, newValue) }
    }

    var year: Int64 {
        get { read(4) }
        set { write(4, newValue) }
    }

    /// What reading every property adds up to.
    var touched: UInt64 {
        Dataset.touch(
            year: year, pages: pages, copies: copies, title: title, hasAuthor: author != nil)
    }
}

/// The model of authors and their books.
enum Library {
    /// Makes the model: authors own their books, deleting an author deletes them.
    static func model() -> NSManagedObjectModel {
        let author = entity("Author", Author.self)
        let book = entity("Book", Book.self)
        let books = relationship("books", to: book, maxCount: 0, .cascadeDeleteRule)
        let writer = relationship("author", to: author, maxCount: 1, .nullifyDeleteRule)
        books.inverseRelationship = writer
        writer.inverseRelationship = books
        author.properties = [attribute("name", .stringAttributeType), books]
        book.properties = [
            attribute("title", .stringAttributeType), attribute("year", .integer64AttributeType),
            attribute("pages", .integer64AttributeType),
            attribute("copies", .integer64AttributeType), writer,
        ]
        let model = NSManagedObjectModel()
        model.entities = [author, book]
        return model
    }

    private static func entity(
        _ name: String, _ objectClass: NSManagedObject.Type
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = NSStringFromClass(objectClass)
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    private static func relationship(
        _ name: String, to entity: NSEntityDescription, maxCount: Int, _ deleteRule: NSDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entity
        relationship.maxCount = maxCount
        relationship.deleteRule = deleteRule
        relationship.isOptional = true
        return relationship
    }
}
