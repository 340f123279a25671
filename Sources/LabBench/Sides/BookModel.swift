import CoreData

/// The model of authors and their books.
package enum BookModel {
    /// Creates the model.
    ///
    /// - Parameter rule: The rule for an author's books when the author is deleted.
    package static func make(
        author authorClass: NSManagedObject.Type, book bookClass: NSManagedObject.Type,
        rule: NSDeleteRule = .cascadeDeleteRule
    ) -> NSManagedObjectModel {
        let author = ModelParts.entity("Author", authorClass)
        let book = ModelParts.entity("Book", bookClass)
        let books = ModelParts.relationship("books", to: book, maxCount: 0, rule)
        let writer = ModelParts.relationship("author", to: author, maxCount: 1)
        ModelParts.pair(books, writer)
        author.properties = [ModelParts.attribute("name", .stringAttributeType), books]
        book.properties = [
            ModelParts.attribute("title", .stringAttributeType),
            ModelParts.attribute("year", .integer64AttributeType),
            ModelParts.attribute("pages", .integer64AttributeType),
            ModelParts.attribute("copies", .integer64AttributeType), writer,
        ]
        let model = NSManagedObjectModel()
        model.entities = [author, book]
        return model
    }
}
