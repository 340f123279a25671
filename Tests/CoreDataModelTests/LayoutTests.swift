import CoreDataModel
import Foundation
import Testing

struct LayoutTests {
    @Test func `the bookmarks model has the columns of a real bookmarks store`() throws {
        let model = bookmarks()
        try model.freeze()
        let layout = try #require(model.layout.entity(named: "BookmarkEntity"))
        #expect(layout.tableName == "ZBOOKMARKENTITY")
        #expect(
            columns(model.layout, of: "ZBOOKMARKENTITY") == [
                "ZISFAVORITE", "ZISFOLDER", "ZFAVORITEFOLDER", "ZPARENT", "Z_FOK_FAVORITEFOLDER",
                "Z_FOK_PARENT", "ZTITLE", "ZURL", "ZUUID",
            ])
        let slots = layout.values.map(\.name)
        #expect(
            slots == ["favoriteFolder", "isFavorite", "isFolder", "parent", "title", "url", "uuid"])
        #expect(layout.toMany.map(\.name) == ["children", "favorites"])
        #expect(
            layout.toMany[0].storage
                == .foreignKey(
                    column: "ZPARENT", entityColumn: nil, orderColumn: "Z_FOK_PARENT"))
        #expect(layout.toMany[0].inverse == .value(3))
        #expect(layout.toMany[0].deleteBehavior == .cascade)
        #expect(layout.values[3].toOne?.inverse == .toMany(0))
    }

    @Test func `entities are numbered in pre-order, siblings without regard to case`() throws {
        let parent = entity("Vehicle")
        let children = [entity("truck"), entity("Car"), entity("bus")]
        parent.subentities = children
        let model = model([entity("zebra"), parent] + children + [entity("apple")])
        try model.freeze()
        let names = model.layout.entities.map(\.name)
        #expect(names == ["apple", "Vehicle", "bus", "Car", "truck", "zebra"])
        let vehicle = try #require(model.layout.entity(named: "Vehicle"))
        #expect(vehicle.familyRange == 1..<5)
        #expect(vehicle.hasSubentities)
        let truck = try #require(model.layout.entity(named: "truck"))
        #expect(truck.rootIndex == 1)
        #expect(truck.superIndex == 1)
        #expect(truck.tableName == "ZVEHICLE")
        #expect(truck.isKind(of: vehicle))
        #expect(model.entity(at: 4).name == "truck")
    }

    @Test func `a subentity has its superentity's slots first`() throws {
        let animal = entity(
            "Animal", [attribute("name"), attribute("Weight", .doubleAttributeType)])
        let dog = entity("Dog", [attribute("breed"), attribute("age", .integer16AttributeType)])
        animal.subentities = [dog]
        let model = model([dog, animal])
        try model.freeze()
        #expect(dog.layout.values.map(\.name) == ["Weight", "name", "age", "breed"])
        #expect(dog.layout.values.map(\.kind) == [.double, .string, .integer16, .string])
        #expect(dog.valueProperties.map(\.name) == ["Weight", "name", "age", "breed"])
        #expect(dog.layout.valueSlot(named: "age") == 2)
        #expect(Set(dog.attributesByName.keys) == ["Weight", "name", "age", "breed"])
    }

    @Test func `a to-one has a second column if its destination has subentities`() throws {
        let book = entity("Book")
        let novel = entity("GraphicNovel")
        book.subentities = [novel]
        let page = entity("Page", [toOne("book", book), toOne("novel", novel)])
        let model = model([book, novel, page])
        try model.freeze()
        #expect(columns(model.layout, of: "ZPAGE") == ["ZBOOK", "Z1_BOOK", "ZNOVEL"])
    }

    @Test func `siblings with properties of the same name share no column`() throws {
        let note = entity("Note")
        let cloud = entity("Cloud", [attribute("accountID"), toOne("owner", note)])
        let local = entity("Local", [attribute("accountID"), toOne("owner", note)])
        note.subentities = [local, cloud]
        let model = model([note, local, cloud])
        try model.freeze()
        #expect(cloud.layout.values.map(\.column) == ["ZACCOUNTID", "ZOWNER"])
        #expect(local.layout.values.map(\.column) == ["ZACCOUNTID1", "ZOWNER1"])
        #expect(
            local.layout.values.map(\.toOne?.entityColumn) == [nil, "Z1_OWNER1"])
    }

    @Test func `names that differ only in case get a suffix`() throws {
        let thing = entity("Thing", [attribute("title"), attribute("Title")])
        try model([thing]).freezeKept()
        #expect(thing.layout.values.map(\.column) == ["ZTITLE", "ZTITLE1"])
    }

    @Test func `a transient attribute has a slot and no column`() throws {
        let thing = entity("Thing", [attribute("cache", transient: true)])
        try model([thing]).freezeKept()
        #expect(thing.layout.values.map(\.column) == [nil])
        #expect(thing.layout.values.map(\.isTransient) == [true])
    }

    @Test func `a to-many without inverse has a column on the destination's table`() throws {
        let call = entity("Event")
        let log = entity("Call", [toMany("callEvents", call, ordered: true)])
        let model = model([call, log])
        try model.freeze()
        #expect(
            log.layout.toMany[0].storage
                == .foreignKey(
                    column: "Z1CALLEVENTS", entityColumn: nil, orderColumn: "Z_FOK_1CALLEVENTS"))
    }

    @Test func `a join table is named by the end with the smaller number`() throws {
        let author = entity("Author")
        let book = entity("Book")
        let books = toMany("books", book)
        let authors = toMany("authors", author)
        pair(books, authors)
        author.properties = [books]
        book.properties = [authors]
        let model = model([author, book])
        try model.freeze()
        #expect(
            author.layout.toMany[0].storage
                == .joinTable(
                    table: "Z_1BOOKS", ownerColumn: "Z_1AUTHORS", destinationColumn: "Z_2BOOKS",
                    orderColumn: nil, inverseOrderColumn: nil))
        #expect(
            book.layout.toMany[0].storage
                == .joinTable(
                    table: "Z_1BOOKS", ownerColumn: "Z_2BOOKS", destinationColumn: "Z_1AUTHORS",
                    orderColumn: nil, inverseOrderColumn: nil))
    }

    @Test func `an ordered relationship to the same entity names the join table`() throws {
        let bookmark = entity("BookmarkEntity")
        let favorites = toMany("favorites", bookmark, ordered: true)
        let folders = toMany("favoriteFolders", bookmark)
        pair(favorites, folders)
        bookmark.properties = [favorites, folders]
        try model([bookmark]).freezeKept()
        #expect(
            bookmark.layout.toMany[1].storage
                == .joinTable(
                    table: "Z_1FAVORITES", ownerColumn: "Z_1FAVORITEFOLDERS",
                    destinationColumn: "Z_1FAVORITES", orderColumn: "Z_FOK_1FAVORITES",
                    inverseOrderColumn: nil))
    }

    @Test func `join columns of the same name in two tables get a suffix`() throws {
        let post = entity("Post")
        let comment = entity("Comment")
        let profile = entity("Profile")
        let votedPosts = toMany("votedPosts", post)
        let votedComments = toMany("votedComments", comment)
        post.properties = [toMany("votedBy", profile)]
        comment.properties = [toMany("votedBy", profile)]
        profile.properties = [votedPosts, votedComments]
        pair(votedPosts, try #require(post.relationshipsByName["votedBy"]))
        pair(votedComments, try #require(comment.relationshipsByName["votedBy"]))
        let model = model([post, comment, profile])
        try model.freeze()
        #expect(
            post.layout.toMany[0].storage
                == .joinTable(
                    table: "Z_2VOTEDBY", ownerColumn: "Z_2VOTEDPOSTS",
                    destinationColumn: "Z_3VOTEDBY1", orderColumn: nil, inverseOrderColumn: nil))
    }

    // Proves S3.7-3, S3.7-6
    @Test func `constraints and indexes have Core Data's names and are inherited`() throws {
        let person = entity(
            "Person", [attribute("firstName"), attribute("lastName"), attribute("age")])
        let worker = entity("Worker", [attribute("badge")])
        person.subentities = [worker]
        person.uniquenessConstraints = [["firstName", "lastName"]]
        worker.uniquenessConstraints = [[worker.ownProperties[0]]]
        person.indexes = [
            NSFetchIndexDescription(
                name: "byAge",
                elements: [
                    NSFetchIndexElementDescription(
                        property: try #require(person.propertiesByName["age"]),
                        collationType: .binary)
                ])
        ]
        let model = model([person, worker])
        try model.freeze()
        #expect(
            worker.layout.uniquenessConstraints == [
                UniquenessConstraint(
                    slots: [1, 2], indexName: "Z_Person_UNIQUE_firstName_lastName"),
                UniquenessConstraint(slots: [3], indexName: "Z_Worker_UNIQUE_badge"),
            ])
        #expect(person.layout.uniquenessConstraints.count == 1)
        #expect(worker.uniquenessConstraints as? [[String]] == [["badge"]])
        #expect(person.layout.indexes.map(\.name) == ["Z_Person_byAge"])
        #expect(
            person.layout.indexes.first?.elements
                == [IndexLayout.Element(slot: 0, isAscending: true)])
    }
}

extension NSManagedObjectModel {
    /// Freezes the model and keeps it alive until then.
    func freezeKept() throws { try withExtendedLifetime(self) { try freeze() } }
}
