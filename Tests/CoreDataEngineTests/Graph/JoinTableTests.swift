import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Testing

@Suite struct JoinTableTests {
    /// A stack in which books and tags have a many-to-many relationship. Neither entity has another
    /// to-many relationship, so both ends have the same slot.
    private func stack() throws -> GraphStack {
        let book = GraphModels.entity("Book", [GraphModels.text("name")])
        let tag = GraphModels.entity("Tag", [GraphModels.text("name")])
        GraphModels.relate(
            GraphModels.End(owner: book, name: "tags", toMany: true),
            GraphModels.End(owner: tag, name: "books", toMany: true))
        return try GraphStack(GraphModels.model([book, tag]))
    }

    private static func key(of object: NSManagedObject) -> String {
        object.objectID.uriRepresentation().lastPathComponent
    }

    @Test func `deleting a book leaves a tag with the same key in the other books' pairs`() throws {
        let context = try stack().context()
        try context.on {
            let books = ["a", "b"].map { context.make("Book", ["name": $0]) }
            let tag = context.make("Tag", ["name": "t"])
            try context.obtainPermanentIDs(for: books + [tag])
            let key = Self.key(of: tag)
            let other = try #require(books.first { Self.key(of: $0) != key })
            let same = try #require(books.first { Self.key(of: $0) == key })
            other.mutableSetValue(forKey: "tags").add(tag)
            try context.save()
            context.delete(same)
            try context.save()
            context.reset()
            #expect(try context.all("Tag").map { $0.names("books").count } == [1])
        }
    }
}
