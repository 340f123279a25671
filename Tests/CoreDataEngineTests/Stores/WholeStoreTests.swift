import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import Testing

/// Stores that are entirely in memory: the in-memory type, and binary and XML files.
@Suite struct WholeStoreTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    private func context(
        _ type: String, _ model: NSManagedObjectModel, at url: URL? = nil,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil,
            at: url ?? (type == NSInMemoryStoreType ? nil : folder.store), options: options)
        return context(coordinator)
    }

    private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: SteppedQueue(label: "c"))
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private static let types = [NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType]

    @Test func `two stacks in memory never share a store`() throws {
        let first = try context(NSInMemoryStoreType, Library.makeModel())
        let second = try context(NSInMemoryStoreType, Library.makeModel())
        try first.on {
            first.make("Book", ["title": "one"])
            try first.save()
        }
        try second.on {
            let none = try second.all("Book")
            #expect(none.isEmpty)
        }
        let third = context(try #require(first.persistentStoreCoordinator))
        try third.on {
            let books = try third.all("Book")
            #expect(books.map { $0.text("title") } == ["one"])
        }
    }

    @Test(arguments: types)
    func `a new object has members that are linked to it in the same save`(type: String) throws {
        let context = try context(type, Library.makeModel())
        try context.on {
            let book = context.make("Book", ["title": "one"])
            try context.save()
            let author = context.make("Author", ["name": "Ada"])
            book.setValue(author, forKey: "author")
            try context.save()
        }
        let fresh = self.context(try #require(context.persistentStoreCoordinator))
        try fresh.on {
            let author = try #require(try fresh.all("Author").first)
            let books = try #require(author.value(forKey: "books") as? NSSet)
            #expect(books.count == 1)
        }
    }

    @Test func `an object of another store has no values in a predicate`() throws {
        let context = try context(NSInMemoryStoreType, Library.makeModel())
        let foreign = try self.context(NSInMemoryStoreType, Library.makeModel())
        let stranger = try foreign.on {
            let stranger = foreign.make("Author", ["name": "Ada"])
            try foreign.save()
            return stranger
        }
        try context.on {
            let author = context.make("Author", ["name": "Ada"])
            try context.save()
            let format = "SUBQUERY(%@, $a, $a.name == 'Ada').@count > 0"
            #expect(try context.all("Author", format, [[stranger]]).isEmpty)
            #expect(try context.all("Author", format, [[author]]) == [author])
            #expect(try context.all("Author", "SELF IN %@", [[stranger]]).isEmpty)
        }
    }

    @Test(arguments: types)
    func `predicates, sorts, limits and counts are evaluated in memory`(type: String) throws {
        let context = try context(type, Library.makeModel())
        try context.on {
            for name in ["Ada", "Bea"] {
                let author = context.make("Author", ["name": name])
                for year in 1...3 {
                    context.make(
                        "Book",
                        ["title": "\(name)\(year)", "year": year * 1_000, "author": author])
                }
            }
            context.make("Book", ["title": "Orphan"])
            try context.save()
            context.reset()
            func titles(_ format: String, _ arguments: [Any] = []) throws -> [String?] {
                try context.all("Book", format, arguments, sort: "title").map { $0.text("title") }
            }
            #expect(try titles("author.name == 'Ada' AND year > 1000") == ["Ada2", "Ada3"])
            #expect(try titles("author == nil") == ["Orphan"])
            #expect(try titles("title CONTAINS[c] 'A1'") == ["Ada1", "Bea1"])
            let ada = try context.all("Author", "name == 'Ada'")[0]
            #expect(try titles("author == %@", [ada]) == ["Ada1", "Ada2", "Ada3"])
            #expect(try titles("author IN %@", [[ada.objectID]]).count == 3)
            #expect(try context.all("Author", "ANY books.title == 'Bea2'").count == 1)
            #expect(try context.all("Author", "books.@count == 3").count == 2)
            #expect(
                try context.all("Author", "SUBQUERY(books, $b, $b.year > 2500).@count > 0").count
                    == 2)
            let page = try context.all("Book", sort: "title") {
                $0.fetchOffset = 1
                $0.fetchLimit = 2
            }
            #expect(page.map { $0.text("title") } == ["Ada2", "Ada3"])
            #expect(
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 7)
            #expect(throws: (any Error).self) {
                _ = try context.all("Book", "nonsense == 1")
            }
            #expect((ada as? Author)?.books.count == 3)
        }
    }

    @Test(arguments: types)
    func `every kind of relationship is kept, and follows changes and deletes`(type: String) throws
    {
        let model = GraphModels.relationships()
        let first = try context(type, model)
        try first.on {
            let owner = first.make("Owner", ["name": "o"])
            let cat = first.make("Cat", ["name": "cat", "owner": owner, "lives": 9])
            first.make("Dog", ["name": "dog", "owner": owner])
            owner.setValue(cat, forKey: "favourite")
            let list = first.make("List", ["name": "l"])
            let tracks = ["z", "a", "m"].map { first.make("Track", ["name": $0]) }
            list.setValue(NSOrderedSet(array: tracks), forKey: "tracks")
            list.setValue(NSOrderedSet(array: tracks.reversed()), forKey: "hits")
            list.setValue(NSSet(array: tracks), forKey: "tags")
            let root = first.make("Node", ["name": "root"])
            first.make("Node", ["name": "leaf", "parent": root])
            try first.save()
        }
        // A file is read again. An in-memory store is read by another context.
        func reopened() throws -> NSManagedObjectContext {
            guard type == NSInMemoryStoreType else { return try context(type, model) }
            return context(try #require(first.persistentStoreCoordinator))
        }
        let second = try reopened()
        try second.on {
            let owner = try second.all("Owner")[0]
            #expect(owner.names("pets") == ["cat", "dog"])
            #expect(owner.object("favourite")?.entity.name == "Cat")
            let list = try second.all("List")[0]
            #expect(list.names("tracks") == ["z", "a", "m"])
            #expect(list.names("hits") == ["m", "a", "z"])
            #expect(list.names("tags") == ["a", "m", "z"])
            let track = try second.all("Track", "name == 'a'")[0]
            #expect(track.names("taggedBy") == ["l"])
            let dog = try second.all("Dog")[0]
            dog.setValue(nil, forKey: "owner")
            second.delete(track)
            second.make("Cat", ["name": "kitten", "owner": owner])
            try second.save()
        }
        let third = try reopened()
        try third.on {
            #expect(try third.all("Owner")[0].names("pets") == ["cat", "kitten"])
            let list = try third.all("List")[0]
            #expect(list.names("tracks") == ["z", "m"] && list.names("hits") == ["m", "z"])
            #expect(list.names("tags") == ["m", "z"])
            #expect(try third.all("Animal").count == 3)
            third.delete(try third.all("Node", "name == 'root'")[0])
            try third.save()
            #expect(try third.all("Node").isEmpty)
        }
    }

    @Test(arguments: types)
    func `two contexts on one row conflict, and policies resolve`(type: String) throws {
        let first = try context(type, GraphModels.conflict())
        let second = context(try #require(first.persistentStoreCoordinator))
        try first.on {
            first.make("Item", ["both": "old", "mine": "old", "theirs": "old"])
            try first.save()
        }
        try second.on {
            let item = try second.all("Item")[0]
            _ = item.text("both")
            try first.on {
                let same = try first.all("Item")[0]
                same.setValue("theirs", forKey: "both")
                same.setValue("theirs", forKey: "theirs")
                try first.save()
            }
            item.setValue("mine", forKey: "both")
            item.setValue("mine", forKey: "mine")
            #expect(second.saveError()?.code == NSManagedObjectMergeError)
            second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try second.save()
            second.reset()
            let saved = try second.all("Item")[0]
            #expect(saved.text("both") == "mine" && saved.text("theirs") == "theirs")
        }
    }

    // D-010
    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func `every attribute type survives the file`(type: String) throws {
        let model = EveryType.model()
        let values = EveryType.values
        let first = try context(type, model)
        try first.on {
            first.make("Every", values)
            first.make("Every", ["text": "a\u{1}<&>\r\n\"'ü😀"])
            try first.save()
        }
        let second = try context(type, model)
        try second.on {
            let all = try second.all("Every")
            for (key, value) in values {
                #expect(
                    (all[0].value(forKey: key) as? NSObject)?.isEqual(value as? NSObject) == true,
                    "\(key): \(all[0].value(forKey: key) ?? "nil")")
            }
            #expect(all[1].text("text") == "a\u{1}<&>\r\n\"'ü😀")
            #expect(all[1].value(forKey: "decimal") == nil)
        }
    }

    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func `a failed save leaves file and store as they were`(type: String) throws {
        let url = folder.url.appendingPathComponent("sub/store")
        let sub = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: sub, withIntermediateDirectories: true)
        let context = try context(type, Library.makeModel(), at: url)
        try context.on {
            context.make("Book", ["title": "kept"])
            try context.save()
            try FileManager.default.removeItem(at: sub)
            context.make("Book", ["title": "lost"])
            #expect(context.saveError()?.code == FileCode.missing)
            #expect(context.hasChanges)
            context.rollback()
            #expect(try context.all("Book").map { $0.text("title") } == ["kept"])
        }
    }

    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func `a store opened read-only can be read and not written`(type: String) throws {
        let first = try context(type, Library.makeModel())
        try first.on {
            first.make("Book", ["title": "one"])
            try first.save()
        }
        let before = try Data(contentsOf: folder.store)
        let second = try context(
            type, Library.makeModel(), options: [NSReadOnlyPersistentStoreOption: true])
        try second.on {
            let books = try second.all("Book")
            #expect(books.count == 1)
            second.make("Book", ["title": "two"])
            #expect(second.saveError()?.code == NSFileWriteNoPermissionError)
        }
        #expect(try Data(contentsOf: folder.store) == before)
    }

    @Test func `keys are not used twice, also after the file is read again`() throws {
        var seen: Set<String> = []
        for _ in 0..<3 {
            let context = try context(NSBinaryStoreType, Library.makeModel())
            try context.on {
                let book = context.make("Book", ["title": "t"])
                try context.save()
                #expect(seen.insert(book.objectID.uriRepresentation().lastPathComponent).inserted)
                context.delete(book)
                try context.save()
            }
        }
    }
}

private enum EveryType {
    static func model() -> NSManagedObjectModel {
        let types: [(String, NSAttributeType)] = [
            ("small", .integer16AttributeType), ("middle", .integer32AttributeType),
            ("large", .integer64AttributeType), ("flag", .booleanAttributeType),
            ("real", .doubleAttributeType), ("short", .floatAttributeType),
            ("decimal", .decimalAttributeType), ("text", .stringAttributeType),
            ("date", .dateAttributeType), ("link", .URIAttributeType),
            ("uuid", .UUIDAttributeType), ("data", .binaryDataAttributeType),
        ]
        let entity = NSEntityDescription()
        entity.name = "Every"
        entity.properties = types.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        return GraphModels.model([entity])
    }

    static var values: [String: Any] {
        [
            "small": NSNumber(value: Int16.min), "middle": NSNumber(value: Int32.max),
            "large": NSNumber(value: Int64.max), "flag": NSNumber(value: true),
            "real": NSNumber(value: 0.1 + 0.2), "short": NSNumber(value: Float(0.25)),
            "decimal": NSDecimalNumber(string: "12345678901234567890.123"),
            "text": "text", "date": Date(timeIntervalSinceReferenceDate: 0.123456789),
            "link": URL(string: "https://example.org/a?b=c&d")! as Any,
            "uuid": UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")! as Any,
            "data": Data([0, 1, 255]),
        ]
    }
}
