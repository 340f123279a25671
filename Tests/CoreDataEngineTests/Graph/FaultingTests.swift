import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Testing

/// Tests of the SQL statements that reading causes, and of the data that contexts share.
@Suite struct FaultingTests {
    /// A library with the authors "a0", "a1" and so on. Each has three books.
    private func library(_ authors: Int, at url: URL? = nil) throws -> GraphStack {
        let stack = try GraphStack(Library.makeModel(), at: url)
        let context = stack.context()
        try context.on {
            for index in 0..<authors {
                let author = context.make("Author", ["name": "a\(index)"])
                for number in 0..<3 {
                    context.make(
                        "Book", ["title": "\(index).\(number)", "year": number, "author": author])
                }
            }
            try context.save()
        }
        stack.counters.reset()
        return stack
    }

    // Proves S2.2-6, S2.3-5, S2.5-4
    @Test func `a fetch is one statement and its faults cost none`() throws {
        let stack = try library(10)
        let context = stack.context()
        try context.on {
            let authors = try context.all("Author")
            #expect(authors.count == 10 && authors.allSatisfy(\.isFault))
            #expect(stack.selects() == 1)
            _ = authors.map { $0.text("name") }
            #expect(stack.counters.current.faultsFromRowCache == 10)
            #expect(stack.selects() == 0 && authors.allSatisfy { !$0.isFault })
            #expect(authors.allSatisfy { $0.hasFault(forRelationshipNamed: "books") })
            for author in authors { _ = author.value(forKey: "books") }
            #expect(stack.counters.current.relationshipFaults == 10)
            #expect(stack.selects() == 10)
            #expect(authors.allSatisfy { !$0.hasFault(forRelationshipNamed: "books") })
        }
    }

    // Proves S1.1-20, S2.2-2
    @Test func `reading identity, state and description does not fire a fault`() throws {
        let stack = try library(1)
        let context = stack.context()
        try context.on {
            let author = try #require(try context.all("Author").first)
            _ = (author.objectID, author.entity, author.isInserted, author.hash, author.description)
            _ = (author.hasChanges, author.isEqual(author), author.managedObjectContext)
            _ = author.hasFault(forRelationshipNamed: "books")
            #expect(author.isFault && author.faultingState != 0)
            author.willAccessValue(forKey: nil)
            #expect(!author.isFault && author.faultingState == 0)
        }
    }

    // Proves S2.9-1, S2.9-3, S2.9-4
    @Test func `batches read a page each, prefetching one statement for each level`() throws {
        let stack = try library(10)
        let context = stack.context()
        try context.on {
            let authors = try context.all("Author", sort: "name") { $0.fetchBatchSize = 4 }
            #expect(stack.selects() == 1)
            for (index, author) in authors.enumerated() {
                #expect(author.text("name") == "a\(index)")
                #expect(stack.selects() == (index % 4 == 0 ? 1 : 0))
            }
        }
        let second = stack.context()
        try second.on {
            let authors = try second.all("Author") {
                $0.relationshipKeyPathsForPrefetching = ["books"]
            }
            #expect(stack.selects() == 2)
            let titles = authors.flatMap { ($0 as? Author)?.books.map(\.title) ?? [] }
            #expect(titles.count == 30 && stack.selects() == 0)
        }
        let third = stack.context()
        try third.on {
            let books = try third.all("Book") {
                $0.relationshipKeyPathsForPrefetching = ["author.books"]
            }
            #expect(stack.selects() == 3)
            for book in books { #expect((book as? Book)?.author?.books.count == 3) }
            #expect(stack.selects() == 0)
        }
    }

    // Proves S2.5-2
    @Test func `without property values every fault reads its row`() throws {
        let stack = try library(10)
        let fourth = stack.context()
        try fourth.on {
            let authors = try fourth.all("Author") { $0.includesPropertyValues = false }
            #expect(stack.selects() == 1)
            _ = authors[0].text("name")
            #expect(stack.selects() == 1)
            let full = try fourth.all("Author") { $0.returnsObjectsAsFaults = false }
            #expect(full.allSatisfy { !$0.isFault } && stack.selects() == 1)
        }
    }

    // Proves S2.1-2, S2.3-6
    @Test func `a fault fired after another context's save has its values without a statement`()
        throws
    {
        let stack = try library(2)
        let reader = stack.context()
        let writer = stack.context()
        try reader.on {
            let authors = try reader.all("Author", sort: "name")
            _ = authors[0].text("name")
            let theirs = try writer.on {
                let theirs = try writer.all("Author")
                for author in theirs { author.setValue("new", forKey: "name") }
                try writer.save()
                return theirs
            }
            stack.counters.reset()
            #expect(authors[0].text("name") == "a0" && authors[1].text("name") == "new")
            #expect(stack.selects() == 0)
            reader.refresh(authors[0], mergeChanges: false)
            stack.counters.reset()
            #expect(authors[0].text("name") == "new" && stack.selects() == 0)
            let again = try reader.all("Author", "name == 'new'")
            #expect(Set(again) == Set(authors))
            #expect(theirs.count == 2)
        }
    }

    // Proves S2.3-3, S2.3-8, S2.3-9, S2.3-10
    @Test func `the staleness interval decides when a cached row is read again`() throws {
        let folder = try GraphFolder()
        let stack = try library(1, at: folder.store)
        let other = try GraphStack(Library.makeModel(), at: folder.store)
        let context = stack.context()
        try context.on {
            let author = try #require(try context.all("Author").first)
            let second = other.context()
            try second.on {
                try second.all("Author").first?.setValue("new", forKey: "name")
                try second.save()
            }
            #expect(author.text("name") == "a0")
            context.refresh(author, mergeChanges: true)
            #expect(author.text("name") == "a0")
            context.refresh(author, mergeChanges: false)
            stack.counters.reset()
            #expect(author.text("name") == "a0" && stack.selects() == 0)
            context.stalenessInterval = 0
            context.refresh(author, mergeChanges: true)
            #expect(author.text("name") == "new" && stack.selects() == 1)
            context.refresh(author, mergeChanges: false)
            #expect(author.text("name") == "new" && stack.selects() == 1)
            context.refresh(author, mergeChanges: false)
            #expect(try context.existingObject(with: author.objectID).text("name") == "new")
            #expect(stack.selects() == 1)
            context.stalenessInterval = 3600
            context.refresh(author, mergeChanges: false)
            #expect(author.text("name") == "new" && stack.selects() == 0)
        }
    }

    @Test func `a fetch refreshes faults from the file, but not realised objects`() throws {
        let folder = try GraphFolder()
        let stack = try library(2, at: folder.store)
        let other = try GraphStack(Library.makeModel(), at: folder.store)
        let context = stack.context()
        try context.on {
            let authors = try context.all("Author", sort: "name")
            _ = authors[0].text("name")
            let second = other.context()
            try second.on {
                for author in try second.all("Author") { author.setValue("new", forKey: "name") }
                try second.save()
            }
            _ = try context.all("Author")
            #expect(authors[0].text("name") == "a0" && authors[1].text("name") == "new")
        }
    }

    // Proves S2.2-9
    @Test func `a fault without a row becomes a deleted object, or fails`() throws {
        for deletes in [true, false] {
            let stack = try library(1)
            let context = stack.context()
            let writer = stack.context()
            context.shouldDeleteInaccessibleFaults = deletes
            try context.on {
                let author = try #require(try context.all("Author").first)
                let book = try #require(try context.all("Book", sort: "title").first)
                let id = book.objectID
                try writer.on {
                    writer.delete(try writer.existingObject(with: id))
                    try writer.save()
                }
                if deletes {
                    #expect(book.text("title") == nil && book.value(forKey: "year") == nil)
                    #expect(book.isDeleted && context.deletedObjects == [book])
                    context.make("Book", ["title": "t", "author": author])
                    try context.save()
                    #expect(book.managedObjectContext == nil)
                } else {
                    let error = try #require(throws: CoreDataError.self) {
                        try book.readValue(forKey: "title")
                    }
                    #expect(error.code == .inaccessibleObject)
                    #expect(error.message.hasPrefix("CoreData could not fulfill a fault for"))
                    #expect(!context.hasChanges)
                    context.delete(book)
                    try context.save()
                }
            }
        }
    }

    // Proves S1.8-12, S2.4-5
    @Test func `refreshing all keeps changes and empties the rest`() throws {
        let stack = try library(3)
        let context = stack.context()
        try context.on {
            let authors = try context.all("Author", sort: "name")
            _ = authors.map { ($0.value(forKey: "books") as? NSSet)?.count }
            authors[0].setValue("mine", forKey: "name")
            let refreshed = Box(0)
            let posts = Box(0)
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) {
                let objects = $0.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject>
                refreshed.value += objects?.count ?? 0
                posts.value += 1
            }
            context.processPendingChanges()
            (refreshed.value, posts.value) = (0, 0)
            let registered = context.registeredObjects.count
            context.refreshAllObjects()
            NotificationCenter.default.removeObserver(token)
            #expect(posts.value == 1 && refreshed.value == registered)
            #expect(!authors[0].isFault && authors[0].text("name") == "mine")
            #expect(authors[1].isFault && authors[2].isFault)
        }
    }

    // Proves S2.4-1, S2.4-3
    @Test func `a refresh that drops changes reads members again`() throws {
        let stack = try library(1)
        let context = stack.context()
        let writer = stack.context()
        try context.on {
            let author = try #require(try context.all("Author").first as? Author)
            #expect(author.books.count == 3)
            author.name = "unsaved"
            try writer.on {
                let author = try writer.all("Author").first
                writer.make("Book", ["author": try #require(author)])
                try writer.save()
            }
            #expect(author.books.count == 3)
            context.refresh(author, mergeChanges: true)
            #expect(author.books.count == 4 && author.name == "unsaved")
            context.refresh(author, mergeChanges: false)
            #expect(author.isFault && !context.hasChanges)
            #expect(author.name == "a0" && author.books.count == 4)
            #expect(author.rowVersion == 2)
        }
    }

    // Proves S2.5-5, S2.6-1, S2.6-2, S2.6-4, S2.6-5, S2.11-2
    @Test func `pending changes are laid over what the store finds`() throws {
        let stack = try library(0)
        let context = stack.context()
        try context.on {
            for name in ["alpha", "bravo", "charlie", "delta"] {
                context.make("Author", ["name": name])
            }
            try context.save()
            let all = try context.all("Author", sort: "name")
            context.delete(all[1])
            all[0].setValue("zulu", forKey: "name")
            context.make("Author", ["name": "beta"])
            func names(
                _ format: String? = nil, limit: Int = 0, offset: Int = 0, pending: Bool = true
            )
                throws -> [String]
            {
                try context.all("Author", format, sort: "name") {
                    $0.fetchLimit = limit
                    $0.fetchOffset = offset
                    $0.includesPendingChanges = pending
                }.compactMap { $0.text("name") }
            }
            #expect(try names() == ["beta", "charlie", "delta", "zulu"])
            #expect(try names("name < 'c'") == ["beta"])
            #expect(try names("name > 'd'") == ["delta", "zulu"])
            #expect(try names(limit: 2) == ["beta", "zulu"])
            #expect(try names(limit: 2, offset: 2) == ["beta", "charlie"])
            #expect(try names(pending: false) == ["zulu", "bravo", "charlie", "delta"])
            let request = NSFetchRequest<Author>(entityName: "Author")
            #expect(try context.count(for: request) == 4)
            request.predicate = NSPredicate(format: "name BEGINSWITH 'b'")
            #expect(try context.count(for: request) == 1)
            request.includesPendingChanges = false
            #expect(try context.count(for: request) == 1)
            request.predicate = NSPredicate(format: "name == 'alpha'")
            #expect(try context.count(for: request) == 1)
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
            ids.resultType = .managedObjectIDResultType
            #expect(try context.fetch(ids).filter(\.isTemporaryID).count == 1)
        }
    }
}
