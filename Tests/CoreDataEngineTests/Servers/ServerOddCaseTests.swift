import CoreDataEngine
import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPostgreSQLClient
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import PostgreSQLTestSupport
import TestSupport
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

    /// The names of the rows that fulfil a condition, or the error.
    private func names(
        _ stack: GraphStack, _ format: String, _ arguments: [Any] = [], sort: String = "s"
    ) -> [String] {
        let context = stack.context()
        return context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "A")
            request.predicate = NSPredicate(format: format, argumentArray: arguments)
            request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: false)]
            do { return try context.fetch(request).map { $0.text("s") ?? "nil" } } catch {
                return ["\(error)"]
            }
        }
    }

    @Test(arguments: [
        "bs.@avg.e > 0", "NOT (bs.@avg.e > 0 AND s == nil)", "bs.@sum.e > 1",
        "bs.@sum.e >= bs.@avg.e", "length:(s) > 0 AND bs.@avg.e >= 0",
    ])
    func `sums beyond the numbers of the server have the results of memory`(format: String) throws {
        let text =
            #"<model><entity name="A">\#(attribute("s", "String"))<relationship name="bs" "#
            + #"optional="YES" toMany="YES" destinationEntity="B" inverseName="a" "#
            + #"inverseEntity="B"/></entity><entity name="B">\#(attribute("e", "Double"))"#
            + #"<relationship name="a" optional="YES" maxCount="1" destinationEntity="A" "#
            + #"inverseName="bs" inverseEntity="A"/></entity></model>"#
        func found(_ url: URL?, _ type: String) throws -> [String] {
            let model = try NSManagedObjectModel.parse(Data(text.utf8), path: "contents")
            let stack = try GraphStack(model, at: url, type: type)
            let context = stack.context()
            try context.on {
                let numbers = ["a": Double.leastNonzeroMagnitude, "b": 1e308, "c": 1]
                for (name, number) in numbers {
                    let owner = context.make("A", ["s": name])
                    for _ in 0..<3 { context.make("B", ["a": owner, "e": number]) }
                }
                try context.save()
            }
            return names(stack, format)
        }
        let server = try found(database.url(schema: "odd"), FaultlinePostgreSQLStoreType)
        #expect(try server == found(nil, NSInMemoryStoreType))
    }

    @Test(arguments: [false, true])
    func `the last of several new owners keeps a member`(isReversed: Bool) throws {
        let text =
            #"<model><entity name="A">\#(attribute("s", "String"))<relationship name="bs" "#
            + #"optional="YES" toMany="YES" ordered="YES" destinationEntity="B"/></entity>"#
            + #"<entity name="C" parentEntity="A"/>"#
            + #"<entity name="B">\#(attribute("s", "String"))</entity></model>"#
        func owners(_ url: URL, _ type: String) throws -> [[String]] {
            let model = try NSManagedObjectModel.parse(Data(text.utf8), path: "contents")
            let stack = try GraphStack(model, at: url, type: type)
            let context = stack.context()
            return try context.on {
                let owners = ["A", "C", "A", "C"].enumerated().map { number, entity in
                    context.make(entity, ["s": "\(number)"])
                }
                let members = (0..<20).map { context.make("B", ["s": "\($0)"]) }
                try context.save()
                for owner in isReversed ? owners.reversed() : owners {
                    owner.setValue(NSOrderedSet(array: members), forKey: "bs")
                }
                try context.save()
                context.reset()
                stack.coordinator.rowCache.removeAll()
                return try context.all("A", sort: "s").map { owner in
                    let found = owner.value(forKey: "bs") as? NSOrderedSet
                    return found?.array.compactMap { ($0 as? NSManagedObject)?.text("s") } ?? []
                }
            }
        }
        let folder = try GraphFolder()
        // The server then finds the first of several owners before the last.
        let nested = "options=-c%20enable_hashjoin%3Doff%20-c%20enable_mergejoin%3Doff"
        let server = try owners(
            database.url(schema: "odd", nested), FaultlinePostgreSQLStoreType)
        #expect(server.flatMap(\.self).count == 20)
        #expect(try server == owners(folder.store, NSSQLiteStoreType))
    }

    // MARK: Long values

    private static let indexes =
        [["s"], ["n", "s"], ["s", "t", "u", "v"], ["d"]].map { names in
            let elements = names.map {
                #"<fetchIndexElement property="\#($0)" type="Binary" order="descending"/>"#
            }
            return #"<fetchIndex name="by\#(names.joined())">\#(elements.joined())</fetchIndex>"#
        }.joined()

    private func indexed() throws -> NSManagedObjectModel {
        try model(
            attribute("s", "String") + attribute("t", "String") + attribute("u", "URI")
                + attribute("v", "String") + attribute("d", "Binary")
                + attribute("n", "Integer 64") + Self.indexes)
    }

    /// Texts that differ after the characters that an index contains, and that the server cannot
    /// compress.
    private func longTexts() -> [String] {
        var random = RandomGraph(seed: 19)
        let letters = Array("abcdefghijklmnopqrstuvwxyz😀é").map(String.init)
        let long = (0..<6_000).map { _ in random.pick(letters) }.joined()
        let begin = String(long.prefix(200))
        return ["", "a", begin, begin + "a", begin + "b", begin + "\u{10FFFF}", long, long + "a"]
    }

    @Test func `long texts and data of a fetch index are saved, found and sorted`() throws {
        let texts = longTexts()
        let server = try GraphStack(
            indexed(), at: database.url(schema: "odd"), type: FaultlinePostgreSQLStoreType)
        let folder = try GraphFolder()
        let file = try GraphStack(indexed(), at: folder.store)
        for stack in [server, file] {
            let context = stack.context()
            try context.on {
                for (number, text) in texts.enumerated() {
                    let hexadecimal = text.utf8.map { String($0, radix: 16) }.joined()
                    let url = try #require(URL(string: "file:///\(number)/\(hexadecimal)"))
                    context.make(
                        "A",
                        [
                            "s": text, "t": text, "u": url, "v": text, "n": number,
                            "d": Data(text.utf8),
                        ])
                }
                context.make("A")
                try context.save()
            }
        }
        let lists = [texts[2...4].map(\.self), texts]
        for text in texts {
            for sign in ["==", "!=", "<", "<=", ">", ">="] {
                for format in ["s \(sign) %@", "NOT (s \(sign) %@)", "%@ \(sign) s"] {
                    let expected = names(file, format, [text])
                    #expect(names(server, format, [text]) == expected, "\(format)")
                }
            }
            let data = Data(text.utf8)
            #expect(names(server, "d == %@", [data]) == [text])
            for other in texts {
                let arguments = [[text, other]]
                #expect(
                    names(server, "s BETWEEN %@", arguments)
                        == names(file, "s BETWEEN %@", arguments))
            }
        }
        for list in lists {
            #expect(names(server, "s IN %@", [list]) == names(file, "s IN %@", [list]))
        }
        for key in ["s", "t", "n"] {
            #expect(
                names(server, "TRUEPREDICATE", sort: key)
                    == names(file, "TRUEPREDICATE", sort: key))
        }
    }

    @Test(arguments: [
        ("s == 'q'", "n"), ("s IN {'q', 'r'}", "n"), ("s > 'q'", "n"), ("n > 0", "s"),
    ])
    func `comparisons and orders use an index of beginnings`(format: String, sort: String) throws {
        let stack = try GraphStack(
            indexed(), at: database.url(schema: "odd"), type: FaultlinePostgreSQLStoreType)
        let log = StatementLog()
        stack.coordinator.trace.add(log)
        #expect(names(stack, format, sort: sort).isEmpty)
        var sql = try #require(log.texts.last { $0.hasPrefix("SELECT") })
        for place in 1...4 { sql = sql.replacing("$\(place)", with: sort == "n" ? "'q'" : "'0'") }
        let connection = try database.connect()
        let isSorted = sort == "s"
        try connection.runScript(
            "SET enable_seqscan = off; SET enable_sort = \(isSorted ? "off" : "on")")
        let plan = try connection.execute("EXPLAIN \(sql)")
        let lines = (0..<plan.rowCount).map { plan[$0, 0].text }.joined(separator: "\n")
        #expect(lines.contains("A_bys"), "\(sql)\n\(lines)")
    }

    @Test func `the error for a long unique text names the attribute`() throws {
        let unique = #"<uniquenessConstraint><constraint value="s"/></uniquenessConstraint>"#
        let stack = try GraphStack(
            model(
                attribute("s", "String")
                    + "<uniquenessConstraints>\(unique)</uniquenessConstraints>"),
            at: database.url(schema: "odd"), type: FaultlinePostgreSQLStoreType)
        let context = stack.context()
        try context.on {
            let object = context.make("A", ["s": try #require(longTexts().last)])
            let text = context.saveError()?.localizedDescription ?? ""
            #expect(text.contains("'A.s'") && text.contains("bytes"), "\(text)")
            object.setValue("a", forKey: "s")
            try context.save()
            object.setValue(longTexts().last, forKey: "s")
            #expect(context.saveError()?.localizedDescription.contains("'A.s'") == true)
        }
    }

    // MARK: Batches

    @Test func `a batch of many rows is one COPY, which the trace reports`() throws {
        let stack = try GraphStack(
            model(attribute("s", "String")), at: database.url(schema: "odd"),
            type: FaultlinePostgreSQLStoreType)
        let log = StatementLog()
        stack.coordinator.trace.add(log)
        let context = stack.context()
        try context.on {
            for count in [300, 10] {
                let rows = (0..<count).map { ["s": "\($0)"] }
                try context.execute(NSBatchInsertRequest(entityName: "A", objects: rows))
            }
            #expect(try context.all("A").count == 310)
        }
        let copies = log.all.filter { $0.sql.hasPrefix("COPY ") }
        #expect(copies.map(\.rows) == [300] && copies.map(\.kind) == [.insert])
        #expect(log.texts.filter { $0.hasPrefix("INSERT ") }.count == 1)
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

    @Test func `a lost query generation is pinned again, which its error advises`() throws {
        let stack = try GraphStack(
            model(attribute("s", "String")), at: database.url(schema: "odd"),
            type: FaultlinePostgreSQLStoreType)
        let context = stack.context()
        try context.on {
            context.make("A", ["s": "a"])
            try context.save()
            for token in [NSQueryGenerationToken.current, nil] {
                try context.setQueryGenerationFrom(.current)
                #expect(try context.all("A").count == 1)
                try database.connect().execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()")
                let error = #expect(throws: (any Error).self) { try context.all("A") }
                let text = error?.localizedDescription ?? ""
                #expect(text.contains("setQueryGenerationFrom"), "\(text)")
                try context.setQueryGenerationFrom(token)
                #expect(try context.all("A").count == 1)
            }
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
