import CoreData
import XCTest

final class LabsObjectTests: LabsTestCase {
    private func bookRequest() -> NSFetchRequest<Book> { NSFetchRequest<Book>(entityName: "Book") }

    // Proves S1.1-15, S1.1-17
    func testL11_anObjectMadeWithoutAContextIsABookAndIsInsertedLater() throws {
        let context = container(Ebooks.model).viewContext
        let entity = try XCTUnwrap(NSEntityDescription.entity(forEntityName: "Book", in: context))
        let object = NSManagedObject(entity: entity, insertInto: nil)
        XCTAssertTrue(type(of: object) == Book.self)
        XCTAssertNil(object.managedObjectContext)
        XCTAssertEqual(context.insertedObjects.count, 0)
        XCTAssertEqual(context.registeredObjects.count, 0)
        context.insert(object)
        XCTAssertEqual(context.insertedObjects.count, 1)
        XCTAssertEqual(context.registeredObjects.count, 1)
        XCTAssertTrue(object.managedObjectContext === context)
    }

    // Proves S1.5-8
    func testL12_aMandatoryTitleIsAskedForByName() throws {
        let context = container(Ebooks.model).viewContext
        let book = insert(Book.self, into: context)
        XCTAssertThrowsError(try book.validateForInsert())
        XCTAssertThrowsError(try context.save()) { error in
            XCTAssertEqual((error as NSError).code, NSValidationMissingMandatoryPropertyError)
            XCTAssertEqual((error as? CocoaError)?.validationKey, "title")
            XCTAssertTrue((error as? CocoaError)?.validationObject as? Book === book)
        }
        book.title = ""
        XCTAssertThrowsError(try context.save()) { error in
            let error = error as NSError
            XCTAssertEqual(error.code, NSValidationStringTooShortError)
            XCTAssertEqual(error.userInfo[NSValidationKeyErrorKey] as? String, "title")
            XCTAssertEqual(error.userInfo[NSValidationValueErrorKey] as? String, "")
            XCTAssertNotNil(error.userInfo[NSValidationPredicateErrorKey])
        }
        XCTAssertThrowsError(try context.save()) { error in
            let predicate = (error as? CocoaError)?.validationPredicate
            XCTAssertEqual(predicate?.predicateFormat, "length >= 1")
        }
        XCTAssertTrue(context.hasChanges)
        book.title = "A"
        try book.validateForInsert()
        try context.save()
        XCTAssertFalse(context.hasChanges)
        book.title = nil
        XCTAssertThrowsError(try book.validateForUpdate())
    }

    // Proves S1.5-8
    func testL12_severalErrorsComeTogether() throws {
        let context = container(Ebooks.model).viewContext
        let books = [insert(Book.self, into: context), insert(Book.self, into: context)]
        books[1].title = ""
        XCTAssertThrowsError(try context.save()) { error in
            let error = error as NSError
            XCTAssertEqual(error.code, NSValidationMultipleErrorsError)
            let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            XCTAssertEqual(
                Set(details.map(\.code)),
                [NSValidationMissingMandatoryPropertyError, NSValidationStringTooShortError])
        }
    }

    // Proves S1.1-11
    func testL13_deletingAnUnsavedObjectShowsAtOnce() throws {
        let context = container(Ebooks.model).viewContext
        let keep = insert(Author.self, into: context, ["name": "A"])
        let drop = insert(Author.self, into: context, ["name": "B"])
        context.delete(drop)
        XCTAssertTrue(drop.isDeleted)
        XCTAssertEqual(context.insertedObjects.count, 2)
        XCTAssertEqual(context.registeredObjects.count, 2)
        XCTAssertEqual(context.deletedObjects.count, 1)
        try context.save()
        XCTAssertEqual(context.insertedObjects.count, 0)
        XCTAssertEqual(context.registeredObjects.count, 1)
        XCTAssertEqual(context.deletedObjects.count, 0)
        XCTAssertFalse(keep.objectID.isTemporaryID)
    }

    func testL14_resetEmptiesTheRegistryAndNotTheStore() throws {
        let context = container(Ebooks.model).viewContext
        for number in 1...3 {
            _ = insert(Book.self, into: context, ["title": "Book \(number)"])
        }
        try context.save()
        XCTAssertEqual(try context.count(for: bookRequest()), 3)
        context.reset()
        XCTAssertEqual(context.registeredObjects.count, 0)
        XCTAssertEqual(try context.count(for: bookRequest()), 3)
        let pending = insert(Book.self, into: context, ["title": "Pending"])
        XCTAssertEqual(try context.count(for: bookRequest()), 4)
        XCTAssertTrue(pending.isInserted)
    }

    func testL15_changedValuesAndTheIDTellASavedObjectFromAFreshOne() throws {
        let context = container(Ebooks.model).viewContext
        let author = insert(Author.self, into: context)
        XCTAssertFalse(author.hasPersistentChangedValues)
        author.name = "Ada"
        XCTAssertTrue(author.hasPersistentChangedValues)
        let temporary = author.objectID
        XCTAssertTrue(temporary.isTemporaryID)
        try context.save()
        XCTAssertNotEqual(author.objectID, temporary)
        XCTAssertFalse(author.objectID.isTemporaryID)
        XCTAssertFalse(author.hasPersistentChangedValues)
    }

    func testL16_afterResetAFetchGivesAnotherInstanceWithTheSameID() throws {
        let context = container(Ebooks.model).viewContext
        let book = insert(Book.self, into: context, ["title": "Swift"])
        try context.save()
        let id = book.objectID
        context.reset()
        XCTAssertEqual(book.objectID, id)
        XCTAssertEqual(book.objectID.uriRepresentation(), id.uriRepresentation())
        let again = try XCTUnwrap(try context.fetch(bookRequest()).first)
        XCTAssertFalse(again === book)
        XCTAssertNotEqual(again, book)
        XCTAssertEqual(again.objectID, book.objectID)
        XCTAssertEqual(context.insertedObjects.count, 0)
        XCTAssertEqual(context.registeredObjects.count, 1)
    }

    // Proves S1.7-1
    func testL17_addingBooksSetsTheirAuthor() throws {
        let context = container(Ebooks.model).viewContext
        let author = insert(Author.self, into: context, ["name": "Ada"])
        let books = ["One", "Two"].map { insert(Book.self, into: context, ["title": $0]) }
        for book in books { author.addToBooks(book) }
        for book in books { XCTAssertTrue(book.author === author) }
        XCTAssertEqual(context.insertedObjects.count, 3)
        try context.save()
        XCTAssertEqual(try context.count(for: bookRequest()), author.books?.count)
    }

    // Proves S2.2-7
    func testL18_faultsFireWhenTheyAreRead() throws {
        let context = container(Ebooks.model).viewContext
        let fresh = insert(Author.self, into: context, ["name": "Ada"])
        for title in ["One", "Two"] {
            fresh.addToBooks(insert(Book.self, into: context, ["title": title]))
        }
        XCTAssertTrue(fresh.objectID.isTemporaryID)
        XCTAssertFalse(fresh.isFault)
        try context.save()
        context.reset()

        let request = NSFetchRequest<Author>(entityName: "Author")
        let author = try XCTUnwrap(try context.fetch(request).first)
        XCTAssertTrue(author.isFault)
        XCTAssertTrue(author.hasFault(forRelationshipNamed: "books"))
        XCTAssertFalse(author.objectID.isTemporaryID)

        let first = try XCTUnwrap(author.books?.firstObject as? Book)
        XCTAssertFalse(author.isFault)
        XCTAssertFalse(author.hasFault(forRelationshipNamed: "books"))
        XCTAssertTrue(first.isFault)
        XCTAssertEqual(first.title, "One")
        XCTAssertFalse(first.isFault)
    }

    // Proves S1.4-2
    func testL19_theURINamesStoreAndEntity() throws {
        let container = container(Ebooks.model)
        let book = insert(Book.self, into: container.viewContext, ["title": "Swift"])
        try container.viewContext.save()
        let store = try XCTUnwrap(container.persistentStoreCoordinator.persistentStores.first)
        let uri = book.objectID.uriRepresentation()
        XCTAssertEqual(uri.scheme, "x-coredata")
        XCTAssertEqual(uri.host, store.identifier)
        XCTAssertEqual(uri.path, "/Book/p1")
        XCTAssertEqual(book.objectID.entity.name, "Book")
        let id = container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri)
        XCTAssertEqual(id, book.objectID)
    }

    func testL20_keyValueCodingTypedAccessorsAndPrimitiveValuesAgree() throws {
        let context = container(Ebooks.model).viewContext
        let author = insert(Author.self, into: context, ["name": "Ada"])
        let book = insert(Book.self, into: context, ["title": "One", "author": author])
        XCTAssertEqual(book.value(forKeyPath: "author.name") as? String, "Ada")
        book.setValue("Grace", forKeyPath: "author.name")
        XCTAssertEqual(author.name, "Grace")
        book.setPrimitiveValue("Two", forKey: "title")
        XCTAssertEqual(book.title, "Two")
        book.title = "Three"
        XCTAssertEqual(book.primitiveValue(forKey: "title") as? String, "Three")
        XCTAssertEqual(book.value(forKey: "title") as? String, "Three")
        book.setValue(7, forKey: "rating")
        XCTAssertEqual(book.rating, 7)
        XCTAssertEqual(book.value(forKey: "rating") as? Int16, 7)
    }

    func testL20_handWrittenAccessorsWork() throws {
        let context = container(Tweets.model).viewContext
        let tweet = insert(Tweet.self, into: context)
        tweet.text = "first"
        try context.save()
        XCTAssertFalse(tweet.hasChanges)
        tweet.text = "second"
        XCTAssertTrue(tweet.isUpdated)
        XCTAssertEqual(tweet.changedValues()["text"] as? String, "second")
        try context.save()
        context.refresh(tweet, mergeChanges: false)
        XCTAssertTrue(tweet.isFault)
        XCTAssertEqual(tweet.text, "second")
    }

    func testL21_mutableProxiesAreLiveAndTracked() throws {
        let context = container(Ebooks.model).viewContext
        let author = insert(Author.self, into: context)
        let books = ["One", "Two", "Three"].map {
            insert(Book.self, into: context, ["title": $0])
        }
        try context.save()
        let proxy = author.mutableOrderedSetValue(forKey: "books")
        proxy.add(books[1])
        proxy.insert(books[0], at: 0)
        XCTAssertEqual(author.books?.array as? [Book], [books[0], books[1]])
        XCTAssertTrue(author.hasChanges)
        author.addToBooks(books[2])
        XCTAssertEqual(proxy.count, 3)
        proxy.removeObject(at: 0)
        XCTAssertNil(books[0].author)
        try context.save()
        context.reset()
        let request = NSFetchRequest<Author>(entityName: "Author")
        let again = try XCTUnwrap(try context.fetch(request).first)
        XCTAssertEqual(again.books?.array.compactMap { ($0 as? Book)?.title }, ["Two", "Three"])
    }

    func testL21_mutableSetsAreLiveToo() throws {
        let context = container(Tweets.model).viewContext
        let user = insert(TwitterUser.self, into: context)
        let tweet = insert(Tweet.self, into: context)
        let tweets = user.mutableSetValue(forKey: "tweets")
        tweets.add(tweet)
        XCTAssertTrue(tweet.value(forKey: "tweeter") as? TwitterUser === user)
        tweet.setValue(nil, forKey: "tweeter")
        XCTAssertEqual(tweets.count, 0)
    }

    func testL44_aNewObjectHasDefaultsAndNilElsewhere() throws {
        let context = container(Ebooks.model).viewContext
        let object = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        let book = try XCTUnwrap(object as? Book)
        XCTAssertEqual(book.rating, 3)
        XCTAssertNil(book.title)
        XCTAssertNil(book.value(forKey: "year"))
        XCTAssertEqual(book.year, 0)
        XCTAssertNil(book.author)
    }

    func testL45_savingTwiceOrWithoutChangesIsHarmless() throws {
        let context = container(Ebooks.model).viewContext
        try context.save()
        let book = insert(Book.self, into: context, ["title": "Swift"])
        try context.save()
        let id = book.objectID
        try context.save()
        XCTAssertEqual(book.objectID, id)
        XCTAssertEqual(try log.statements { try context.save() }, [])
        XCTAssertEqual(try context.count(for: bookRequest()), 1)
    }
}
