import CoreData

final class Author: NSManagedObject {
    override class var propertySlots: [String]? { ["name"] }
    override class var relationshipSlots: [String]? { ["books"] }

    var name: String {
        get { read(0) }
        set { write(0, newValue) }
    }

    var books: [NSManagedObject] { readObjects(0) }
}

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

    var touched: UInt64 {
        Dataset.touch(
            year: year, pages: pages, copies: copies, title: title, hasAuthor: author != nil)
    }

    /// A checksum of every property except the pages, which writers change.
    var steady: UInt64 { touched &- UInt64(bitPattern: pages &* 5) }
}

/// The same attributes with the accessors that `CoreDataModelPlugin` and `CoreDataSources`
/// generate.
extension Book {
    var generatedCopies: Int64 {
        @inline(__always) get { managedValue(BookKeys.copies) }
        set { setManagedValue(BookKeys.copies, newValue) }
    }

    var generatedPages: Int64 {
        @inline(__always) get { managedValue(BookKeys.pages) }
        set { setManagedValue(BookKeys.pages, newValue) }
    }

    var generatedTitle: String {
        @inline(__always) get { managedValue(BookKeys.title) }
        set { setManagedValue(BookKeys.title, newValue) }
    }

    var generatedYear: Int64 {
        @inline(__always) get { managedValue(BookKeys.year) }
        set { setManagedValue(BookKeys.year, newValue) }
    }
}

private enum BookKeys {
    static let copies = ManagedKey("copies")
    static let pages = ManagedKey("pages")
    static let title = ManagedKey("title")
    static let year = ManagedKey("year")
}

/// Generated objects of a user's model.
package protocol MadeLibrary: Sendable {
    /// The workload file. Each measuring process reads it again.
    var file: String { get }
    var model: NSManagedObjectModel { get }
    /// The entities of the generated objects. Each is a parameter of the operation.
    var made: [String] { get }

    func libraryFile(_ variant: WorkloadVariant) -> String

    func fill(_ context: NSManagedObjectContext, _ variant: WorkloadVariant)
}

/// The models and data of operations.
package enum LibraryKind: Sendable {
    /// Authors and their books.
    case books
    /// Shops, their shelves, the shelves' ordered items, and tags.
    case archive
    /// Folders. The operations insert papers.
    case papers
    /// The data of a user's operation, with its model.
    case own(NSManagedObjectModel)
    /// Generated objects of the model in a workload file.
    case made(any MadeLibrary)

    var isFilledBySamples: Bool {
        if case .own = self { return true }
        return false
    }

    func model(_ variant: WorkloadVariant) -> NSManagedObjectModel {
        switch self {
        case .books:
            let rules: [String: NSDeleteRule] = [
                "nullify": .nullifyDeleteRule, "deny": .denyDeleteRule,
            ]
            let rule = variant.parameters.first { $0.name == "rule" }?.value.description
            return Library.model(rule.flatMap { rules[$0] } ?? .cascadeDeleteRule)
        case .archive: return Archive.model()
        case .papers: return Papers.model()
        case .own(let model): return model
        case .made(let work): return work.model
        }
    }

    func fill(_ context: NSManagedObjectContext, _ variant: WorkloadVariant) throws {
        switch self {
        case .books: try Dataset(variant.shape).insert(into: context) { _ in }
        case .archive: Archive.fill(context, variant.shape)
        case .papers: Papers.fill(context, variant.shape)
        case .own: break
        case .made(let work): work.fill(context, variant)
        }
    }
}

enum Library {
    /// Creates the model.
    ///
    /// - Parameter rule: the delete rule for the books of an author.
    static func model(_ rule: NSDeleteRule = .cascadeDeleteRule) -> NSManagedObjectModel {
        let author = ModelParts.entity("Author", Author.self)
        let book = ModelParts.entity("Book", Book.self)
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

enum ModelParts {
    static func entity(
        _ name: String, _ objectClass: NSManagedObject.Type
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = NSStringFromClass(objectClass)
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    static func relationship(
        _ name: String, to entity: NSEntityDescription, maxCount: Int,
        _ deleteRule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entity
        relationship.maxCount = maxCount
        relationship.deleteRule = deleteRule
        relationship.isOptional = true
        return relationship
    }

    static func pair(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }
}

extension Dataset {
    /// Inserts all rows, and links each book with its author.
    ///
    /// - Parameter progress: called after each book with the number of inserted books.
    /// - Returns: the new objects.
    @discardableResult
    func insert(
        into context: NSManagedObjectContext, progress: (Int) throws -> Void
    ) throws -> [NSManagedObject] {
        var inserted: [NSManagedObject] = []
        var index = 0
        for name in names {
            let author = Author(context: context)
            author.name = name
            inserted.append(author)
            for _ in 0..<shape.books {
                let book = Book(context: context)
                book.title = titles[index]
                book.year = years[index]
                book.pages = pages[index]
                book.copies = copies[index]
                book.author = author
                inserted.append(book)
                index += 1
                try progress(index)
            }
        }
        return inserted
    }
}
