import CoreDataEngine
import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPostgreSQLClient
import CoreDataPredicate
import CoreDataStore
import PostgreSQLTestSupport
import Testing

/// Tests of the tables of a store on a server, and of its administration and its errors.
@Suite(.needsPostgreSQL) struct ServerStoreTests {
    private let database: TestDatabase

    init() throws { database = try TestServer.shared().makeDatabase() }

    private func stack(
        _ model: NSManagedObjectModel = Library.makeModel(), schema: String = "library",
        options: [AnyHashable: Any]? = nil
    ) throws -> GraphStack {
        try GraphStack(
            model, at: database.url(schema: schema), type: FaultlinePostgreSQLStoreType,
            options: options)
    }

    private func rows(_ sql: String) throws -> [String] {
        let result = try database.connect().execute(sql)
        return (0..<result.rowCount).map { row in
            (0..<result.columnCount).map { result[row, $0].text }
                .joined(separator: " ")
        }
    }

    private func message(_ body: () throws -> Void) -> String {
        do { try body() } catch { return (error as NSError).localizedDescription }
        return ""
    }

    // MARK: Opening

    @Test func `a description finds the type by the scheme of its URL`() throws {
        let description = NSPersistentStoreDescription(url: database.url(schema: "library"))
        #expect(description.type == FaultlinePostgreSQLStoreType)
        let container = NSPersistentContainer(
            name: "Library", managedObjectModel: Library.makeModel())
        container.persistentStoreDescriptions = [description]
        var problem: (any Error)?
        container.loadPersistentStores { problem = $1 }
        #expect(problem == nil)
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        #expect(store.type == "PostgreSQL" && store.url == description.url)
    }

    @Test func `names and types on the server are those of the model`() throws {
        _ = try stack()
        let columns = try rows(
            "SELECT table_name || '.' || column_name || ' ' || data_type"
                + " FROM information_schema.columns WHERE table_schema = 'library'"
                + " AND table_name IN ('Book', 'Author') ORDER BY 1")
        #expect(columns.contains("Book.title text") && columns.contains("Book.author bigint"))
        #expect(columns.contains("Book._key bigint") && columns.contains("Book._version integer"))
    }

    @Test(arguments: [
        #"<attribute name="_key" optional="YES" attributeType="String"/>"#
            + #"<attribute name="_version" optional="YES" attributeType="String"/>"#,
        #"<relationship name="tableoid" optional="YES" toMany="YES" destinationEntity="A"/>"#
            + #"<attribute name="xmin" optional="YES" attributeType="String"/>"#,
        #"<relationship name="key_seq" optional="YES" toMany="YES" destinationEntity="A"/>"#,
        ["m", "n"].map { last in
            #"<attribute name="\#(String(repeating: "n", count: 70))\#(last)" optional="YES" "#
                + #"attributeType="String"/>"#
        }.joined(),
    ])
    func `each name of a property has a column and a column of the view`(properties: String) throws
    {
        let model = try NSManagedObjectModel.parse(
            Data(#"<model><entity name="A">\#(properties)</entity></model>"#.utf8),
            path: "contents")
        let stack = try stack(model)
        let context = stack.context()
        try context.on {
            let object = context.make("A")
            let names = object.entity.attributesByName.keys.sorted()
            for name in names { object.setValue(name, forKey: name) }
            try context.save()
            context.reset()
            let found = try context.all("A")[0]
            #expect(names.allSatisfy { found.text($0) == $0 })
        }
    }

    // MARK: Constraints

    @Test func `rows that exchange unique values are saved`() throws {
        let stack = try stack(GraphModels.moody())
        let context = stack.context()
        try context.on {
            let countries = ["fr", "de", "it"].map { context.make("Country", ["code": $0]) }
            try context.save()
            for (country, code) in zip(countries, ["de", "it", "fr"]) {
                country.setValue(code, forKey: "code")
            }
            try context.save()
        }
        let reader = self.reader(stack)
        let codes = try reader.on {
            try reader.all("Country", sort: "code").map { $0.text("code") }
        }
        #expect(codes == ["de", "fr", "it"])
    }

    private func reader(_ stack: GraphStack) -> NSManagedObjectContext {
        stack.coordinator.rowCache.removeAll()
        return stack.context()
    }

    @Test func `D-078 no row refers to a row that another program deletes`() throws {
        let (one, other) = (try stack(), try stack())
        let (first, second) = (one.context(), other.context())
        try first.on {
            first.make("Book", ["title": "a", "author": first.make("Author")])
            try first.save()
        }
        try second.on {
            let author = try second.all("Author")[0]
            try first.on {
                for book in try first.all("Book") { first.delete(book) }
                first.delete(try first.all("Author")[0])
                try first.save()
            }
            second.make("Book", ["title": "b", "author": author])
            #expect(second.saveError()?.code == NSManagedObjectMergeError)
        }
        try first.on {
            first.make("Book", ["title": "c", "author": first.make("Author")])
            try first.save()
        }
        let error = #expect(throws: ServerError.self) {
            try database.connect().execute("DELETE FROM library.\"Author\"")
        }
        #expect(error?.isForeignKeyViolation == true, "\(error?.description ?? "")")
    }

    // MARK: Values

    @Test func `D-081 a text with the character U+0000 is refused with its attribute`() throws {
        let stack = try stack()
        let context = stack.context()
        let text = message {
            try context.on {
                context.make("Book", ["title": "a\0b"])
                try context.save()
            }
        }
        #expect(text.contains("Book.title") && text.contains("U+0000"), "\(text)")
    }

    // MARK: Administration

    @Test func `a store is replaced by a copy of another, and destroyed`() throws {
        let stack = try stack()
        let context = stack.context()
        try context.on {
            context.make("Book", ["title": "a", "author": context.make("Author")])
            try context.save()
        }
        let store = try #require(stack.coordinator.persistentStores.first)
        let identifier = store.identifier
        let (url, copy) = (database.url(schema: "library"), database.url(schema: "copy"))
        let type = FaultlinePostgreSQLStoreType
        try stack.coordinator.replacePersistentStore(
            at: copy, withPersistentStoreFrom: url, ofType: type)
        let found = try NSPersistentStoreCoordinator.metadataForPersistentStore(with: copy)
        #expect(found[NSStoreUUIDKey] as? String == identifier)
        let other = try self.stack(schema: "copy")
        let reader = other.context()
        try reader.on {
            #expect(try reader.all("Book").map { $0.text("title") } == ["a"])
            reader.make("Book", ["title": "b", "author": try reader.all("Author")[0]])
            try reader.save()
        }
        try stack.coordinator.destroyPersistentStore(at: url, ofType: type)
        #expect(try rows("SELECT 1 FROM pg_namespace WHERE nspname = 'library'").isEmpty)
        let text = message {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(with: url)
        }
        #expect(text.contains("contains no store"), "\(text)")
    }

    @Test func `a store is copied from a file to a server and back`() throws {
        let folder = try GraphFolder()
        let stack = try GraphStack(Library.makeModel(), at: folder.store)
        let context = stack.context()
        try context.on {
            for title in ["a", "b"] {
                context.make("Book", ["title": title, "author": context.make("Author")])
            }
            try context.save()
        }
        let targets = [
            (database.url(schema: "copy"), FaultlinePostgreSQLStoreType),
            (folder.url.appendingPathComponent("back.sqlite"), NSSQLiteStoreType),
        ]
        for (url, type) in targets {
            let store = try #require(stack.coordinator.persistentStores.first)
            _ = try stack.coordinator.migratePersistentStore(store, to: url, withType: type)
            let reader = self.reader(stack)
            let titles = try reader.on {
                try reader.all("Book", sort: "title").map { $0.text("title") }
            }
            #expect(titles == ["a", "b"])
        }
    }

    // MARK: Errors

    @Test func `errors of addresses name the problem and the remedy, but no password`() throws {
        func open(_ text: String) throws {
            let url = try #require(URL(string: text))
            _ = try GraphStack(Library.makeModel(), at: url, type: FaultlinePostgreSQLStoreType)
        }
        let host = "host=\(database.server.socketFolder)&user=postgres"
        let cases = [
            ("postgresql:///missing?\(host)&password=secret", "createdb"),
            ("postgresql:///\(database.name)?\(host)&schema=", "schema"),
            ("postgresql://postgres:secret@localhost:1/x?connect_timeout=2", "cannot be reached"),
            ("file:///x.store", "postgresql:///shop"),
            (
                "postgresql:///\(database.name)?\(host)&isolation=snapshot",
                "write one of read-committed"
            ),
        ]
        for (url, part) in cases {
            let text = message { try open(url) }
            #expect(text.contains(part) && !text.contains("secret"), "\(text)")
        }
    }

    @Test func `a store of another model is refused`() throws {
        _ = try stack()
        let text = message { _ = try stack(GraphModels.moody()) }
        #expect(text.contains("incompatible"), "\(text)")
    }
}
