import CoreDataEngine
import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPostgreSQLClient
import CoreDataPredicate
import CoreDataStore
import Foundation
import PostgreSQLTestSupport
import Testing

/// Tests of odd values, odd batches and odd rights on a server.
@Suite(.needsPostgreSQL) struct ServerOddCaseTests {
    private let database: TestDatabase

    init() throws { database = try TestServer.shared().makeDatabase() }

    private func model(_ attributes: String) throws -> NSManagedObjectModel {
        try NSManagedObjectModel.parse(
            Data(#"<model><entity name="A">\#(attributes)</entity></model>"#.utf8),
            path: "contents")
    }

    private func attribute(_ name: String, _ type: String) -> String {
        #"<attribute name="\#(name)" optional="YES" attributeType="\#(type)"/>"#
    }

    @Test(arguments: [
        "s MATCHES ''", "NOT (s MATCHES '')", "s LIKE ''", "s CONTAINS ''", "s BEGINSWITH ''",
        "(d / d) >= 0", "(d * 0) >= 0", "(d + d) > 1",
        "length:(s) > 0 AND (d * d) >= 0", "length:(s) > 0 AND (e * e) >= 0", "(e * e) >= 0",
    ])
    func `a condition has the results of a store in memory`(format: String) throws {
        let attributes =
            attribute("s", "String") + attribute("d", "Double") + attribute("e", "Double")
        func found(_ stack: GraphStack) throws -> [String] {
            let context = stack.context()
            return try context.on {
                for (name, d, e) in [
                    ("", 1.0, 1.0), ("a", .infinity, 2), ("b", 0, 1e308), ("c", -.infinity, 0),
                ] {
                    context.make("A", ["s": name, "d": d, "e": e])
                }
                context.make("A", ["s": "e"])
                try context.save()
                context.reset()
                let request = NSFetchRequest<NSManagedObject>(entityName: "A")
                request.predicate = NSPredicate(format: format)
                return try context.fetch(request).map { $0.text("s") ?? "nil" }.sorted()
            }
        }
        let server = try found(
            GraphStack(
                model(attributes), at: database.url(schema: "odd"),
                type: FaultlinePostgreSQLStoreType))
        let memory = try found(GraphStack(model(attributes), type: NSInMemoryStoreType))
        #expect(server == memory)
    }

    @Test func `a batch fills an entity with several uniqueness constraints`() throws {
        let unique = ["a", "b"].map {
            "<uniquenessConstraint><constraint value=\"\($0)\"/></uniquenessConstraint>"
        }.joined()
        let model = try model(
            attribute("a", "String") + attribute("b", "String") + attribute("n", "Integer 64")
                + "<uniquenessConstraints>\(unique)</uniquenessConstraints>")
        let stack = try GraphStack(
            model, at: database.url(schema: "odd"), type: FaultlinePostgreSQLStoreType)
        let context = stack.context(.overwrite)
        func insert(_ rows: [[String: Any]]) throws {
            try context.execute(NSBatchInsertRequest(entityName: "A", objects: rows))
        }
        try context.on {
            try insert([["a": "1", "b": "1", "n": 1], ["a": "2", "b": "2", "n": 2]])
            try insert([["a": "1", "n": 10], ["b": "2", "n": 20], ["a": "3", "b": "3", "n": 30]])
            let all = try context.all("A", sort: "n")
            let names = all.map { "\($0.text("a") ?? "-") \($0.text("b") ?? "-")" }
            #expect(names == ["1 1", "2 2", "3 3"])
            #expect(all.map { $0.value(forKey: "n") as? Int } == [10, 20, 30])
        }
    }

    @Test func `an owner of a schema needs no right to create schemas`() throws {
        try database.connect().runScript(
            """
            DROP ROLE IF EXISTS keeper;
            CREATE ROLE keeper LOGIN;
            CREATE SCHEMA kept AUTHORIZATION keeper
            """)
        let items = "host=\(database.server.socketFolder)&user=keeper&schema=kept"
        let url = try #require(URL(string: "postgresql:///\(database.name)?\(items)"))
        let stack = try GraphStack(
            model(attribute("s", "String")), at: url, type: FaultlinePostgreSQLStoreType)
        let context = stack.context()
        try context.on {
            context.make("A", ["s": "a"])
            try context.save()
        }
    }

    @Test func `metadata with U+0000 is refused by the save, whose error names the metadata`()
        throws
    {
        let stack = try GraphStack(
            model(attribute("s", "String")), at: database.url(schema: "odd"),
            type: FaultlinePostgreSQLStoreType)
        let store = try #require(stack.coordinator.persistentStores.first)
        stack.coordinator.setMetadata(["k": "a\0b"], for: store)
        let context = stack.context()
        try context.on {
            context.make("A", ["s": "a"])
            let text = context.saveError()?.localizedDescription ?? ""
            #expect(text.contains("metadata") && text.contains("U+0000"), "\(text)")
            stack.coordinator.setMetadata(["k": "ab"], for: store)
            try context.save()
        }
    }

    @Test func `a save without a server fails with the reason, and without further attempts`()
        throws
    {
        let server = try TestServer()
        try server.administer("CREATE DATABASE odd TEMPLATE template0")
        let items = "host=\(server.socketFolder)&user=postgres&schema=odd"
        let url = try #require(URL(string: "postgresql:///odd?\(items)"))
        let stack = try GraphStack(
            model(attribute("s", "String")), at: url, type: FaultlinePostgreSQLStoreType,
            options: [NSPersistentStoreTimeoutOption: 0.2])
        let context = stack.context()
        try context.on {
            context.make("A", ["s": "a"])
            try context.save()
            server.stop()
            context.make("A", ["s": "b"])
            let error = context.saveError()
            #expect(error?.code == NSPersistentStoreOpenError)
            #expect(error?.localizedDescription.contains("cannot be reached") == true)
            try server.start()
            try context.save()
            let found = try context.all("A")
            #expect(found.count == 2)
        }
    }
}
