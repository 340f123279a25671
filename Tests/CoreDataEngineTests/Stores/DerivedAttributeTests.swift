import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Attributes that the store computes.
///
/// Source: semantics.md §7.7; store-format.md, "Indexes and triggers".
@Suite struct DerivedAttributeTests {
    private let fixture: MigrationFixture

    init() throws { fixture = try MigrationFixture() }

    private static func derived(_ name: String, _ type: String, _ expression: String) -> String {
        "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" derived=\"YES\""
            + " derivationExpression=\"\(expression)\"/>"
    }

    /// A model of shelves with books, which have pages and readers. A novel is a book.
    private static let entities = """
        <entity name="Shelf"><attribute name="room" optional="YES" attributeType="String"/>
          <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book"
            inverseName="shelf" inverseEntity="Book" deletionRule="Nullify"/>
          <relationship name="house" optional="YES" maxCount="1" destinationEntity="House"
            inverseName="shelves" inverseEntity="House" deletionRule="Nullify"/>
        </entity>
        <entity name="House"><attribute name="street" optional="YES" attributeType="String"/>
          <relationship name="shelves" optional="YES" toMany="YES" destinationEntity="Shelf"
            inverseName="house" inverseEntity="Shelf" deletionRule="Nullify"/>
        </entity>
        <entity name="Item" isAbstract="YES">
          <attribute name="note" optional="YES" attributeType="String"/></entity>
        <entity name="Book" parentEntity="Item">
          <attribute name="title" optional="YES" attributeType="String"/>
          \(derived("folded", "String", "canonical:(title)"))
          \(derived("loud", "String", "uppercase:(title)"))
          \(derived("copy", "String", "title"))
          \(derived("room", "String", "shelf.room"))
          \(derived("street", "String", "shelf.house.street"))
          \(derived("saved", "Date", "now()"))
          \(derived("pageCount", "Integer 64", "pages.@count"))
          \(derived("words", "Integer 64", "pages.words.@sum"))
          \(derived("longest", "Integer 64", "max:(pages.words)"))
          \(derived("readerCount", "Integer 64", "count:(readers)"))
          <relationship name="shelf" optional="YES" maxCount="1" destinationEntity="Shelf"
            inverseName="books" inverseEntity="Shelf" deletionRule="Nullify"/>
          <relationship name="pages" optional="YES" toMany="YES" destinationEntity="Page"
            inverseName="book" inverseEntity="Page" deletionRule="Cascade"/>
          <relationship name="readers" optional="YES" toMany="YES" destinationEntity="Reader"
            inverseName="books" inverseEntity="Reader" deletionRule="Nullify"/>
        </entity>
        <entity name="Page"><attribute name="words" optional="YES" attributeType="Integer 64"/>
          <relationship name="book" optional="YES" maxCount="1" destinationEntity="Book"
            inverseName="pages" inverseEntity="Book" deletionRule="Nullify"/>
        </entity>
        <entity name="Reader">
          <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book"
            inverseName="readers" inverseEntity="Book" deletionRule="Nullify"/>
        </entity>
        """

    private func library(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try fixture.use(try MigrationFixture.model(Self.entities), MigrationFixture.automatic, body)
    }

    private func text(_ object: NSManagedObject, _ keys: String...) -> [String] {
        keys.map { key in object.value(forKey: key).map { "\($0)" } ?? "nil" }
    }

    @Test func `texts and times exist after the save, and after a reset`() throws {
        try library { context in
            let before = Date().timeIntervalSinceReferenceDate
            let book = make("Book", context, ["title": "Straße Née"])
            #expect(text(book, "folded", "loud", "copy") == ["nil", "nil", "nil"])
            try context.save()
            let texts = ["strasse nee", "STRASSE NÉE", "Straße Née"]
            #expect(text(book, "folded", "loud", "copy") == texts)
            let saved = try #require(book.value(forKey: "saved") as? Date)
            #expect(saved.timeIntervalSinceReferenceDate >= before)
            #expect(!context.hasChanges)
            book.setValue("Zoë", forKey: "title")
            try context.save()
            #expect(text(book, "folded", "loud", "copy") == ["zoe", "ZOË", "Zoë"])
            let later = try #require(book.value(forKey: "saved") as? Date)
            #expect(later >= saved)
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "folded == 'zoe' AND loud BEGINSWITH 'ZO'")
            #expect(try context.fetch(request).count == 1)
        }
    }

    @Test func `values follow to-one relationships, whichever end changes`() throws {
        try library { context in
            let house = make("House", context, ["street": "Lime"])
            let shelf = make("Shelf", context, ["room": "hall", "house": house])
            let book = make("Book", context, ["title": "a", "shelf": shelf])
            try context.save()
            #expect(text(book, "room", "street") == ["hall", "Lime"])
            shelf.setValue("attic", forKey: "room")
            house.setValue("Oak", forKey: "street")
            try context.save()
            #expect(text(book, "room", "street") == ["attic", "Oak"])
            let other = make("House", context, ["street": "Elm"])
            shelf.setValue(other, forKey: "house")
            try context.save()
            #expect(text(book, "room", "street") == ["attic", "Elm"])
            book.setValue(nil, forKey: "shelf")
            try context.save()
            #expect(text(book, "room", "street") == ["nil", "nil"])
        }
    }

    @Test func `members are counted and summed when they are added, changed, moved and deleted`()
        throws
    {
        try library { context in
            let book = make("Book", context, ["title": "a"])
            let other = make("Book", context, ["title": "b"])
            let pages = (1...3).map { make("Page", context, ["words": $0 * 10, "book": book]) }
            let reader = make("Reader", context)
            reader.setValue(Set([book, other]), forKey: "books")
            try context.save()
            let keys = ["pageCount", "words", "longest", "readerCount"]
            func state(_ book: NSManagedObject) -> [String] { keys.flatMap { text(book, $0) } }
            #expect(state(book) == ["3", "60", "30", "1"])
            #expect(state(other) == ["0", "0", "nil", "1"])
            pages[0].setValue(100, forKey: "words")
            pages[1].setValue(other, forKey: "book")
            context.delete(pages[2])
            reader.setValue(Set([other]), forKey: "books")
            try context.save()
            #expect(state(book) == ["1", "100", "100", "0"])
            #expect(state(other) == ["1", "20", "20", "1"])
        }
        #expect(
            try fixture.sql("SELECT ZTITLE, ZPAGECOUNT, ZWORDS, ZREADERCOUNT FROM ZITEM ORDER BY 1")
                == ["a|1|100|0", "b|1|20|1"])
    }

    @Test func `one more statement reads the rows that a save has computed`() throws {
        try library { context in
            let books = (1...40).map { make("Book", context, ["title": "\($0)"]) }
            _ = fixture.log.take()
            try context.save()
            let reads = fixture.log.take().filter { $0.hasPrefix("SELECT") && $0.contains("ZITEM") }
            #expect(reads.count == 1, "\(reads)")
            #expect(books.allSatisfy { $0.value(forKey: "pageCount") as? Int == 0 })
            #expect(fixture.log.take().isEmpty)
        }
    }

    @Test func `a value that a program sets for a computed attribute is replaced`() throws {
        try library { context in
            let book = make("Book", context, ["title": "a", "pageCount": 7])
            try context.save()
            #expect(text(book, "pageCount") == ["0"])
            book.setValue(9, forKey: "pageCount")
            book.setValue("b", forKey: "title")
            try context.save()
            #expect(text(book, "pageCount", "copy") == ["0", "b"])
        }
    }

    @Test func `batches compute too, and the history records both`() throws {
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        try fixture.use(try MigrationFixture.model(Self.entities), options) { context in
            let shelf = make("Shelf", context, ["room": "hall"])
            let book = make("Book", context, ["title": "a", "shelf": shelf])
            try context.save()
            let batch = NSBatchUpdateRequest(entityName: "Shelf")
            batch.propertiesToUpdate = ["room": "attic"]
            _ = try context.execute(batch)
            context.refresh(book, mergeChanges: false)
            #expect(text(book, "room") == ["attic"])
            _ = try values("Shelf", "room", context)
            context.refresh(shelf, mergeChanges: false)
            shelf.setValue("cellar", forKey: "room")
            try context.save()
            #expect(text(book, "room") == ["cellar"])
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
            var computed: [NSPersistentHistoryChange] = []
            for change in transactions.flatMap({ $0.changes ?? [] })
            where change.changedObjectID.entity.name == "Book" && change.changeType == .update {
                computed.append(change)
            }
            #expect(computed.count == 2)
            #expect(
                computed.allSatisfy { $0.updatedProperties?.map(\.name).sorted() == ["room"] })
        }
    }

    @Test func `a migration fills new columns, and triggers keep working afterwards`() throws {
        let old = """
            <entity name="Book"><attribute name="title" optional="YES" attributeType="String"/>
              <relationship name="pages" optional="YES" toMany="YES" destinationEntity="Page"
                inverseName="book" inverseEntity="Page" deletionRule="Cascade"/></entity>
            <entity name="Page"><relationship name="book" optional="YES" maxCount="1"
              destinationEntity="Book" inverseName="pages" inverseEntity="Book"
              deletionRule="Nullify"/></entity>
            """
        let count = Self.derived("pageCount", "Integer 64", "pages.@count")
        let folded = Self.derived("folded", "String", "canonical:(title)")
        let title = "<attribute name=\"title\""
        let new = old.replacing(title, with: count + folded + title)
        try fixture.use(try MigrationFixture.model(old)) { context in
            let book = make("Book", context, ["title": "É"])
            for _ in 1...2 { make("Page", context, ["book": book]) }
        }
        try fixture.use(try MigrationFixture.model(new)) { context in
            #expect(try values("Book", "pageCount", context) == ["2"])
            #expect(try values("Book", "folded", context) == ["e"])
            let book = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))[0]
            make("Page", context, ["book": book])
            try context.save()
            #expect(text(book, "pageCount") == ["3"])
        }
        // The migration back removed the triggers of the removed column.
        try fixture.use(try MigrationFixture.model(old)) { context in
            let book = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))[0]
            make("Page", context, ["book": book])
            try context.save()
        }
        #expect(
            try fixture.sql("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'") == ["0"])
    }

    @Test(arguments: [NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType])
    func `other stores refuse models with derived attributes`(type: String) throws {
        let model = try MigrationFixture.model(Self.entities)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let error = #expect(throws: (any Error).self) {
            try coordinator.addPersistentStore(
                ofType: type, configurationName: nil,
                at: type == NSInMemoryStoreType ? nil : fixture.url)
        }
        let text = (error as NSError?)?.localizedFailureReason ?? "\(error as Any)"
        #expect(text.contains("do not support derived properties"))
    }

    @Test(arguments: [
        "pages.words", "shelf.books", "length:(title)", "SUBQUERY(pages, $p, 1 == 1)",
    ])
    func `an expression that no store computes is refused with a correct one`(text: String) throws {
        let model = try MigrationFixture.model(
            Self.entities.replacing("canonical:(title)", with: text))
        let error = #expect(throws: ModelError.self) { try model.checkUsable() }
        let line = try #require(error?.findings.first?.description)
        #expect(line.contains("Book.folded") && line.contains("relationship.@count"))
    }

    @Test func `a compiled model computes like its source`() throws {
        let model = try MigrationFixture.model(Self.entities)
        let file = fixture.folder.url.appendingPathComponent("Library.mom")
        try model.compiledData().write(to: file)
        let compiled = try NSManagedObjectModel.load(contentsOf: file)
        #expect(compiled.entityVersionHashesByName == model.entityVersionHashesByName)
        try library { context in
            make("Book", context, ["title": "É"])
        }
        try fixture.use(compiled) { context in
            let folded = try values("Book", "folded", context)
            #expect(folded == ["e"])
        }
    }

    @Test(.enabled(if: RealStores.folder != nil, RealStores.areMissing))
    func `the triggers of a real store keep its counts`() throws {
        let data = try #require(RealStores.folder)
        let name = "stores/alemar11-CoreDataPlus-SampleModel2_V2.sqlite"
        let url = fixture.folder.url.appendingPathComponent("Real.sqlite")
        try FileManager.default.copyItem(at: data.appendingPathComponent(name), to: url)
        let model = try NSManagedObjectModel.carried(byStoreAt: url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [
                NSIgnorePersistentStoreVersioningOption: true,
                NSPersistentHistoryTrackingKey: true,
            ])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "pagesCount > 9")
            let book = try #require(try context.fetch(request).first)
            let before = try #require(book.value(forKey: "pagesCount") as? Int)
            let pages = try #require(book.value(forKey: "pages") as? Set<NSManagedObject>)
            #expect(pages.count == before)
            context.delete(try #require(pages.first))
            try context.save()
            #expect(book.value(forKey: "pagesCount") as? Int == before - 1)
        }
    }
}
