import CoreData

/// A model of authors with books and notes, and of books with tags. Some books are novels. After an
/// author is deleted, its books have no author, and its notes are deleted too. Every object has the
/// number by which the reference identifies it.
enum PropertyModel {
    /// - Parameter isOrdered: whether the notes of an author and the tags of a book have an order.
    static func make(isOrdered: Bool) -> NSManagedObjectModel {
        let author = entity("Author")
        let book = entity("Book")
        let note = entity("Note")
        let tag = entity("Tag")
        let novel = NSEntityDescription()
        novel.name = "Novel"
        novel.properties = [attribute("genre", .stringAttributeType)]
        book.subentities = [novel]
        relate((author, "books", true, .nullifyDeleteRule), (book, "author", false))
        relate((author, "notes", true, .cascadeDeleteRule), (note, "author", false))
        relate((book, "tags", true, .nullifyDeleteRule), (tag, "books", true))
        if isOrdered {
            author.relationshipsByName["notes"]?.isOrdered = true
            book.relationshipsByName["tags"]?.isOrdered = true
        }
        let model = NSManagedObjectModel()
        model.entities = [author, book, novel, note, tag]
        return model
    }

    static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = [
            attribute("identity", .integer64AttributeType),
            attribute("number", .integer64AttributeType), attribute("text", .stringAttributeType),
            attribute("mark", .integer64AttributeType),
        ]
        entity.attributesByName["mark"]?.isTransient = true
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

    private static func relate(
        _ one: (owner: NSEntityDescription, name: String, toMany: Bool, rule: NSDeleteRule),
        _ other: (owner: NSEntityDescription, name: String, toMany: Bool)
    ) {
        let first = NSRelationshipDescription()
        first.name = one.name
        first.destinationEntity = other.owner
        first.maxCount = one.toMany ? 0 : 1
        first.deleteRule = one.rule
        let second = NSRelationshipDescription()
        second.name = other.name
        second.destinationEntity = one.owner
        second.maxCount = other.toMany ? 0 : 1
        second.deleteRule = .nullifyDeleteRule
        for relationship in [first, second] {
            relationship.minCount = 0
            relationship.isOptional = true
        }
        first.inverseRelationship = second
        second.inverseRelationship = first
        one.owner.properties += [first]
        other.owner.properties += [second]
    }
}
