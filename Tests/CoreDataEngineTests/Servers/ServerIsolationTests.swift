import CoreDataEngine
import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPostgreSQLClient
import CoreDataStore
import Foundation
import PostgreSQLTestSupport
import Testing

/// Tests of the levels of isolation of a store on a server, with two coordinators.
@Suite(.needsPostgreSQL) struct ServerIsolationTests {
    private let database: TestDatabase

    init() throws { database = try TestServer.shared().makeDatabase() }

    private func stack(_ level: String) throws -> GraphStack {
        try GraphStack(
            Library.makeModel(), at: database.url(schema: "library", "isolation=\(level)"),
            type: FaultlinePostgreSQLStoreType)
    }

    /// Two contexts of different coordinators, pinned to a state with two books of the year 10.
    private func contexts(
        _ level: String, _ policy: NSMergePolicy = .error
    ) throws -> [NSManagedObjectContext] {
        let stacks = [try stack(level), try stack(level)]
        let setup = stacks[0].context()
        try setup.on {
            for title in ["a", "b"] { setup.make("Book", ["title": title, "year": 10]) }
            try setup.save()
        }
        return try stacks.map { stack in
            let context = stack.context(policy)
            try context.on { try context.setQueryGenerationFrom(.current) }
            return context
        }
    }

    private func books(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try context.all("Book", sort: "title") { $0.returnsObjectsAsFaults = false }
    }

    private func year(_ book: NSManagedObject) -> Int { book.value(forKey: "year") as? Int ?? 0 }

    private func isRefused(_ error: NSError?) -> Bool {
        error?.userInfo[FaultlineTransactionRefusedErrorKey] as? Bool == true
    }

    /// Lets each context read both books and lower one of them. Returns the errors of the saves.
    private func skew(_ contexts: [NSManagedObjectContext]) throws -> [NSError?] {
        var read: [[NSManagedObject]] = []
        for context in contexts { read.append(try context.on { try books(context) }) }
        return try contexts.enumerated().map { index, context in
            try context.on {
                let sum = read[index].reduce(0) { $0 + year($1) }
                read[index][index].setValue(year(read[index][index]) - sum, forKey: "year")
                return context.saveError()
            }
        }
    }

    @Test func `write skew is refused only by a serializable store`() throws {
        for (level, refused) in [
            ("read-committed", false), ("repeatable-read", false), ("serializable", true),
        ] {
            let errors = try skew(try contexts(level))
            #expect(errors[0] == nil, "\(level)")
            #expect((errors[1] != nil) == refused, "\(level)")
            #expect(isRefused(errors[1]) == refused, "\(level)")
            try empty()
        }
    }

    private func empty() throws {
        try database.connect().execute("DELETE FROM library.\"Book\"")
    }

    @Test(arguments: ["repeatable-read", "serializable"])
    func `D-079 no merge policy writes an old value over a read row`(_ level: String) throws {
        for policy in [NSMergePolicy.overwrite, .mergeByPropertyObjectTrump, .rollback] {
            let contexts = try contexts(level, policy)
            let read = try contexts.map { context in try context.on { try books(context)[0] } }
            let errors = try zip(contexts, read).map { context, book in
                try context.on {
                    book.setValue(year(book) + 1, forKey: "year")
                    return context.saveError()
                }
            }
            #expect(errors[0] == nil && isRefused(errors[1]))
            let row = try database.connect().execute(
                "SELECT year FROM library.\"Book\" ORDER BY title LIMIT 1")
            #expect(row[0, 0].integer == 11)
            try empty()
        }
    }

    @Test func `contexts of one coordinator also save in their own transactions`() throws {
        let stack = try stack("serializable")
        let setup = stack.context()
        try setup.on {
            for title in ["a", "b"] { setup.make("Book", ["title": title, "year": 10]) }
            try setup.save()
        }
        let contexts = [stack.context(), stack.context()]
        for context in contexts {
            try context.on { try context.setQueryGenerationFrom(.current) }
        }
        let errors = try skew(contexts)
        #expect(errors[0] == nil && isRefused(errors[1]))
    }

    @Test func `a refused context fails until it is pinned to a new state`() throws {
        let contexts = try contexts("serializable")
        let context = contexts[1]
        #expect(isRefused(try skew(contexts)[1]))
        try context.on {
            #expect(context.saveError() != nil)
            context.rollback()
            try context.setQueryGenerationFrom(.current)
            let book = try #require(try books(context).first)
            context.refresh(book, mergeChanges: false)
            book.setValue(3, forKey: "year")
            try context.save()
            #expect(year(try books(context)[0]) == 3)
        }
    }

    @Test func `a save in the held state inserts, deletes and reports conflicts`() throws {
        let context = try contexts("serializable")[0]
        try context.on {
            let read = try books(context)
            context.delete(read[0])
            context.make("Book", ["title": "c", "author": context.make("Author", ["name": "n"])])
            try context.save()
            #expect(try books(context).map { $0.text("title") } == ["b", "c"])
            read[1].setValue(5, forKey: "year")
            try context.save()
        }
        let reader = try stack("read-committed").context()
        let years = try reader.on { try books(reader).map(year) }
        #expect(years == [5, 0])
    }

    @Test func `a transaction runs again until its reads are those of the newest state`() throws {
        for level in ["read-committed", "repeatable-read", "serializable"] {
            let contexts = try contexts(level)
            let (first, second) = (contexts[0], contexts[1])
            var runs = 0
            try second.performTransaction(attempts: 3) {
                runs += 1
                let book = try books(second)[0]
                let value = year(book)
                if runs == 1 {
                    try first.performTransaction {
                        let other = try books(first)[0]
                        other.setValue(year(other) + 1, forKey: "year")
                    }
                }
                book.setValue(value + 1, forKey: "year")
            }
            #expect(runs == 2, "\(level)")
            let row = try database.connect().execute(
                "SELECT year FROM library.\"Book\" ORDER BY title LIMIT 1")
            #expect(row[0, 0].integer == 12, "\(level)")
            try empty()
        }
    }

    @Test func `a transaction ends with its last error, and with the changes undone`() throws {
        struct Stop: Error {}
        let context = try contexts("serializable")[0]
        var runs = 0
        #expect(throws: Stop.self) {
            try context.performTransaction(attempts: 3) {
                runs += 1
                try books(context)[0].setValue(99, forKey: "year")
                throw Stop()
            }
        }
        #expect(runs == 1)
        try context.on {
            #expect(!context.hasChanges)
            context.make("Book", ["title": "unsaved"])
        }
        let error = #expect(throws: NSError.self) { try context.performTransaction {} }
        #expect(error?.localizedDescription.contains("unsaved changes") == true)
    }

    @Test func `several writers lose no increment`() async throws {
        let rounds = 10
        _ = try contexts("serializable")
        let url = database.url(schema: "library", "isolation=serializable")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let stack = try GraphStack(
                        Library.makeModel(), at: url, type: FaultlinePostgreSQLStoreType)
                    let context = stack.context()
                    for _ in 0..<rounds {
                        try context.performTransaction(attempts: 1_000) {
                            let book = try context.all("Book", sort: "title")[0]
                            let value = book.value(forKey: "year") as? Int ?? 0
                            book.setValue(value + 1, forKey: "year")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let row = try database.connect().execute(
            "SELECT year FROM library.\"Book\" ORDER BY title LIMIT 1")
        #expect(row[0, 0].integer == Int64(10 + 4 * rounds))
    }
}
