import CoreDataModel
import Foundation

enum StoreModels {
    /// A model of books with authors, ordered chapters and shared tags; of media with three levels;
    /// and of shelves, whose items have no inverse. One entity has an attribute of every type.
    static let library = layout(makeLibrary())

    private static func layout(_ entities: [NSEntityDescription]) -> ModelLayout {
        let model = NSManagedObjectModel()
        model.entities = entities
        do {
            try model.freeze()
        } catch {
            preconditionFailure("the test's model is not valid: \(error)")
        }
        return model.layout
    }

    private static func makeLibrary() -> [NSEntityDescription] {
        let author = entity(
            "Author", [attribute("born", .integer32AttributeType), attribute("name")])
        let book = entity(
            "Book",
            [
                attribute("isbn"), attribute("price", .doubleAttributeType), attribute("title"),
                attribute("year", .integer32AttributeType),
                attribute("draft", .stringAttributeType, isTransient: true),
            ])
        let chapter = entity("Chapter", [attribute("title")])
        let tag = entity("Tag", [attribute("name")])
        relate(author, "books", many: true, book, "author", many: false)
        relate(book, "chapters", many: true, chapter, "book", many: false, isOrdered: true)
        relate(book, "tags", many: true, tag, "books", many: true)
        book.uniquenessConstraints = [["isbn"]]
        return [author, book, chapter, tag] + makeMedia() + [makeEverything()]
    }

    private static func makeMedia() -> [NSEntityDescription] {
        let medium = entity("Medium", [attribute("name")])
        medium.isAbstract = true
        let film = entity("Film", [attribute("minutes", .integer16AttributeType)])
        let short = entity("ShortFilm", [attribute("festival")])
        let series = entity("Series", [attribute("seasons", .integer16AttributeType)])
        film.subentities = [short]
        medium.subentities = [film, series]
        let shelf = entity("Shelf", [attribute("label")])
        relate(shelf, "favorite", many: false, medium, "favoriteOf", many: true)
        let items = relationship("items", medium, many: true)
        items.isOrdered = true
        shelf.properties.append(items)
        return [medium, film, short, series, shelf]
    }

    private static func makeEverything() -> NSEntityDescription {
        entity(
            "Everything",
            [
                attribute("bool", .booleanAttributeType),
                attribute("data", .binaryDataAttributeType),
                attribute("date", .dateAttributeType), attribute("decimal", .decimalAttributeType),
                attribute("double", .doubleAttributeType), attribute("float", .floatAttributeType),
                attribute("int16", .integer16AttributeType),
                attribute("int32", .integer32AttributeType),
                attribute("int64", .integer64AttributeType), attribute("text"),
                attribute("uri", .URIAttributeType), attribute("uuid", .UUIDAttributeType),
            ])
    }
}

// MARK: Writing models

extension StoreModels {
    static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription
    {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    static func attribute(
        _ name: String, _ type: NSAttributeType = .stringAttributeType, isTransient: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isTransient = isTransient
        attribute.isOptional = true
        return attribute
    }

    static func relationship(
        _ name: String, _ destination: NSEntityDescription, many: Bool
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = many ? 0 : 1
        relationship.isOptional = true
        return relationship
    }

    /// Makes two relationships inverses. The first one may be ordered.
    static func relate(
        _ source: NSEntityDescription, _ name: String, many: Bool,
        _ destination: NSEntityDescription, _ inverseName: String, many inverseMany: Bool,
        isOrdered: Bool = false
    ) {
        let forward = relationship(name, destination, many: many)
        let backward = relationship(inverseName, source, many: inverseMany)
        forward.isOrdered = isOrdered
        forward.inverseRelationship = backward
        backward.inverseRelationship = forward
        source.properties.append(forward)
        destination.properties.append(backward)
    }
}
