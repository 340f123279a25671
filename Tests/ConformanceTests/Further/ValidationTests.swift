import CoreData
import TestSupport
import Testing

/// Conformance tests for section 16: the life cycle of objects, validation, undo, and the defaults
/// of contexts.
@MainActor struct ValidationTests {
    private static func text(_ name: String, optional: Bool = true) -> NSAttributeDescription {
        attribute(name, .stringAttributeType, optional: optional)
    }

    /// The values of the attribute are checked by predicates.
    private static func checked(
        _ name: String, _ type: NSAttributeType, _ checks: [(String, Int)]
    ) -> NSAttributeDescription {
        let made = attribute(name, type)
        made.setValidationPredicates(
            checks.map { NSPredicate(format: $0.0) },
            withValidationWarnings: checks.map { "\($0.1)" })
        return made
    }

    // MARK: Validation

    // Proves S16-1, S16-2
    @Test func `several failures are listed, each with key, object, value and predicate`() throws {
        let shop = try Bookshop(
            Bookshop.thing(
                Self.text("n", optional: false),
                Self.checked(
                    "s", .stringAttributeType, [("length >= 3", NSValidationStringTooShortError)]),
                Self.checked(
                    "i", .integer32AttributeType, [("SELF <= 20", NSValidationNumberTooLargeError)])
            ))
        let thing = shop.add("Thing", ["s": "x", "i": 99])
        let error = failure { try shop.context.save() }
        #expect(error?.code == NSValidationMultipleErrorsError)
        #expect(error?.domain == NSCocoaErrorDomain)
        let list = try #require(error?.userInfo[NSDetailedErrorsKey] as? [NSError])
        let expected = [
            NSValidationMissingMandatoryPropertyError: "n", NSValidationStringTooShortError: "s",
            NSValidationNumberTooLargeError: "i",
        ]
        #expect(list.count == 3)
        for detail in list {
            let info = detail.userInfo
            #expect(info[NSValidationKeyErrorKey] as? String == expected[detail.code])
            #expect(info[NSValidationObjectErrorKey] as? NSManagedObject === thing)
            guard detail.code != NSValidationMissingMandatoryPropertyError else { continue }
            #expect(info[NSValidationPredicateErrorKey] is NSPredicate)
            #expect(info[NSValidationValueErrorKey] != nil)
        }
    }

    // Proves S16-3, S16-4
    @Test func `each failure has its code and a text that names the property`() throws {
        let table: [(NSAttributeType, String, Int, any Sendable, String)] = [
            (
                .stringAttributeType, "length <= 2", NSValidationStringTooLongError, "abc",
                "too long"
            ),
            (
                .stringAttributeType, "length >= 2", NSValidationStringTooShortError, "a",
                "too short"
            ),
            (.integer32AttributeType, "SELF <= 2", NSValidationNumberTooLargeError, 3, "too large"),
            (.integer32AttributeType, "SELF >= 2", NSValidationNumberTooSmallError, 1, "too small"),
            (
                .stringAttributeType, "SELF MATCHES 'x+'", NSValidationStringPatternMatchingError,
                "y", ""
            ),
            (
                .dateAttributeType, "SELF <= CAST(0, 'NSDate')", NSValidationDateTooLateError,
                Date(), ""
            ),
        ]
        for (type, format, code, value, text) in table {
            let shop = try Bookshop(
                Bookshop.thing(Self.checked("p", type, [(format, code)])), type: NSInMemoryStoreType
            )
            shop.add("Thing", ["p": value])
            let error = failure { try shop.context.save() }
            #expect(error?.code == code, "\(format)")
            #expect(text.isEmpty || error?.localizedDescription.contains(text) == true)
        }
        let shop = try Bookshop(Bookshop.thing(Self.text("title", optional: false)))
        shop.add("Thing")
        let error = failure { try shop.context.save() }
        #expect(error?.localizedDescription == "title is a required value.")
    }

    // Proves S16-5
    @Test func `a model file's bounds and pattern are checked`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("R.xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let attributes = [
            #"name="p" attributeType="String" minValueString="2" maxValueString="4""#
                + #" regularExpressionString="[a-z]+""#,
            #"name="d" attributeType="Date" minDateTimeInterval="0" maxDateTimeInterval="100""#,
            #"name="i" attributeType="Integer 16" minValueString="1" maxValueString="5""#,
        ].map { "<attribute optional=\"YES\" \($0)/>" }.joined()
        let contents =
            #"<?xml version="1.0" encoding="UTF-8"?><model documentVersion="1.0""#
            + #" type="com.apple.IDECoreDataModeler.DataModel"><entity name="Thing""#
            + #" representedClassName="NSManagedObject">\#(attributes)</entity></model>"#
        try contents.write(
            to: url.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        let model = try #require(NSManagedObjectModel(contentsOf: url))
        let table: [(String, any Sendable, Int?)] = [
            ("p", "ABC", NSValidationStringPatternMatchingError), ("p", "abc", nil),
            ("p", "a", NSValidationStringTooShortError),
            ("p", "abcde", NSValidationStringTooLongError), ("i", 3, nil),
            ("i", 9, NSValidationNumberTooLargeError), ("i", 0, NSValidationNumberTooSmallError),
            ("d", Date(), NSValidationDateTooLateError),
            ("d", Date(timeIntervalSinceReferenceDate: -5), NSValidationDateTooSoonError),
        ]
        for (key, value, code) in table {
            let shop = try Bookshop(model, type: NSInMemoryStoreType)
            shop.add("Thing", [key: value])
            #expect(failure { try shop.context.save() }?.code == code, "\(key) \(value)")
        }
    }

    // Proves S16-6
    @Test func `too few and too many members have codes`() throws {
        let model = Bookshop.library()
        let books = try #require(model.entitiesByName["Author"]?.relationshipsByName["books"])
        (books.minCount, books.maxCount) = (2, 3)
        let shop = try Bookshop(model)
        let author = shop.add("Author")
        shop.add("Book", ["author": author])
        let few = NSValidationRelationshipLacksMinimumCountError
        #expect(failure { try shop.context.save() }?.code == few)
        for _ in 0..<3 { shop.add("Book", ["author": author]) }
        let many = NSValidationRelationshipExceedsMaximumCountError
        #expect(failure { try shop.context.save() }?.code == many)
    }

    // Proves S16-7, S16-8
    @Test func `setters check nothing, and a single value can be checked`() throws {
        let shop = try Bookshop(Bookshop.thing(Self.text("n", optional: false)))
        let thing = shop.add("Thing", ["n": "x"])
        thing.setValue(nil, forKey: "n")
        #expect(
            failure { try thing.validateForInsert() }?.code
                == NSValidationMissingMandatoryPropertyError)
        var value: Any?
        let error = failure { try thing.validateValue(&value, forKey: "n") }
        #expect(error?.code == NSValidationMissingMandatoryPropertyError)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "n")
        value = "y"
        #expect(failure { try thing.validateValue(&value, forKey: "n") } == nil)
        #expect(thing.value(forKey: "n") == nil)
    }

    // Proves S16-9
    @Test func `a denied deletion names object and relationship`() throws {
        let shop = try Bookshop(Bookshop.library(rule: .denyDeleteRule))
        let author = shop.add("Author", ["name": "a"])
        shop.add("Book", ["author": author])
        try shop.context.save()
        shop.context.delete(author)
        let error = failure { try shop.context.save() }
        #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "books")
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === author)
        #expect(shop.context.deletedObjects == [author])
    }

    // MARK: Life cycle

    private func livingShop() throws -> Bookshop {
        let thing = Bookshop.plain("Thing", [Self.text("n")])
        thing.managedObjectClassName = NSStringFromClass(Living.self)
        return try Bookshop(model(thing))
    }

    // Proves S16-10
    @Test func `callbacks are called in their order`() throws {
        let shop = try livingShop()
        let thing = try #require(shop.add("Thing", ["n": "1"]) as? Living)
        try shop.context.save()
        #expect(thing.take() == ["awakeFromInsert", "willSave", "validateForInsert", "didSave"])
        thing.setValue("2", forKey: "n")
        try shop.context.save()
        #expect(thing.take() == ["willSave", "validateForUpdate", "didSave"])
        shop.context.refresh(thing, mergeChanges: false)
        #expect(thing.text("n") == "2")
        #expect(thing.take() == ["willTurnIntoFault", "didTurnIntoFault", "awakeFromFetch"])
        shop.context.delete(thing)
        try shop.context.save()
        #expect(
            thing.take().prefix(4)
                == ["prepareForDeletion", "willSave", "validateForDelete", "didSave"])
    }

    // Proves S16-11
    @Test func `a child's insertion awakens once`() throws {
        let shop = try livingShop()
        let child = shop.newChild()
        let thing = try #require(shop.add("Thing", ["n": "1"], to: child) as? Living)
        try child.save()
        let pushed = try #require(shop.context.insertedObjects.first as? Living)
        let calls = thing.take() + pushed.take()
        #expect(calls.count { $0 == "awakeFromInsert" } == 1)
    }

    // Proves S16-12, S16-13
    @Test func `an insertion that is rolled back or deleted leaves no trace`() throws {
        let shop = try Bookshop()
        let book = shop.add("Book")
        shop.context.rollback()
        #expect(book.managedObjectContext == nil && !book.isInserted)
        let other = shop.add("Book")
        let kept = shop.add("Book")
        shop.context.delete(other)
        let saves = Heard(.NSManagedObjectContextDidSave, from: shop.context)
        try shop.context.save()
        #expect(saves.objects(NSInsertedObjectsKey) == [kept])
        #expect(saves.objects(NSDeletedObjectsKey) == [])
        #expect(try shop.count("Book") == 1)
    }

    // Proves S16-14
    @Test func `an object whose context was released has no context`() throws {
        let shop = try Bookshop()
        _ = try shop.stock(["a"])
        var context: NSManagedObjectContext? = shop.newContext()
        let book = try context?.fetch(shop.request("Book")).first
        context = nil
        #expect(book != nil && book?.managedObjectContext == nil)
    }

    // Proves S16-15
    @Test func `did-save has three sets, and then no object is changed`() throws {
        let shop = try Bookshop()
        let books = try shop.stock(["a", "b"])
        books[0].setValue("c", forKey: "title")
        shop.context.delete(books[1])
        let added = shop.add("Book")
        let saves = Heard(.NSManagedObjectContextDidSave, from: shop.context)
        try shop.context.save()
        #expect(saves.objects(NSInsertedObjectsKey) == [added])
        #expect(saves.objects(NSUpdatedObjectsKey) == [books[0]])
        #expect(saves.objects(NSDeletedObjectsKey) == [books[1]])
        #expect(!books[0].hasChanges && !books[0].isUpdated && !added.isInserted)
        #expect(!shop.context.hasChanges && books[0].changedValues().isEmpty)
    }

    // MARK: Undo

    private func undoingShop() throws -> (Bookshop, NSManagedObject, UndoManager) {
        let shop = try Bookshop()
        let author = shop.add("Author", ["name": "0"])
        try shop.context.save()
        shop.context.processPendingChanges()
        let manager = UndoManager()
        shop.context.undoManager = manager
        return (shop, author, manager)
    }

    // Proves S16-16
    @Test func `the levels of undo bound the steps`() throws {
        let (shop, author, manager) = try undoingShop()
        manager.levelsOfUndo = 2
        for name in ["1", "2", "3", "4"] {
            author.setValue(name, forKey: "name")
            shop.context.processPendingChanges()
        }
        for _ in 0..<6 { shop.context.undo() }
        #expect(author.text("name") == "2")
    }

    // Proves S16-17
    @Test func `a group is one step with a name`() throws {
        let (shop, author, manager) = try undoingShop()
        manager.beginUndoGrouping()
        author.setValue("1", forKey: "name")
        shop.context.processPendingChanges()
        shop.add("Book")
        shop.context.processPendingChanges()
        manager.setActionName("Edit")
        manager.endUndoGrouping()
        #expect(manager.canUndo && manager.undoActionName == "Edit")
        shop.context.undo()
        #expect(author.text("name") == "0" && shop.context.insertedObjects.isEmpty)
        #expect(manager.canRedo)
        shop.context.redo()
        #expect(author.text("name") == "1" && shop.context.insertedObjects.count == 1)
    }

    // Proves S16-18
    @Test func `saved changes can be undone and saved again`() throws {
        let (shop, _, _) = try undoingShop()
        shop.add("Book")
        try shop.context.save()
        shop.context.undo()
        #expect(shop.context.hasChanges)
        try shop.context.save()
        #expect(try shop.count("Book") == 0)
        shop.context.redo()
        try shop.context.save()
        #expect(try shop.count("Book") == 1)
    }

    // Proves S16-19
    @Test func `undoing a deletion restores links`() throws {
        let (shop, author, _) = try undoingShop()
        let book = shop.add("Book", ["author": author])
        try shop.context.save()
        shop.context.processPendingChanges()
        shop.context.delete(author)
        shop.context.processPendingChanges()
        #expect(book.value(forKey: "author") == nil)
        shop.context.undo()
        #expect(book.value(forKey: "author") as? NSManagedObject === author && !author.isDeleted)
        try shop.context.save()
        #expect(try shop.count("Author") == 1)
    }

    // Proves S16-20
    @Test func `changes are excluded while undo registration is disabled`() throws {
        let (shop, author, manager) = try undoingShop()
        manager.disableUndoRegistration()
        author.setValue("1", forKey: "name")
        shop.context.processPendingChanges()
        manager.enableUndoRegistration()
        author.setValue("2", forKey: "name")
        shop.context.processPendingChanges()
        shop.context.undo()
        #expect(author.text("name") == "1")
    }

    // MARK: Defaults

    // Proves S16-21, S16-22
    @Test func `a context has documented defaults, and policies have their types`() {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        #expect(context.concurrencyType == .mainQueueConcurrencyType && !context.hasChanges)
        #expect(context.undoManager == nil && context.parent == nil && context.name == nil)
        #expect(context.transactionAuthor == nil && context.stalenessInterval == -1)
        #expect(context.propagatesDeletesAtEndOfEvent && context.shouldDeleteInaccessibleFaults)
        #expect(!context.retainsRegisteredObjects)
        #expect(!context.automaticallyMergesChangesFromParent)
        context.userInfo["mine"] = 1
        #expect(context.userInfo["mine"] as? Int == 1)
        let policies: [(NSMergePolicy, NSMergePolicyType)] = [
            (.error, .errorMergePolicyType), (.overwrite, .overwriteMergePolicyType),
            (.rollback, .rollbackMergePolicyType),
            (.mergeByPropertyObjectTrump, .mergeByPropertyObjectTrumpMergePolicyType),
            (.mergeByPropertyStoreTrump, .mergeByPropertyStoreTrumpMergePolicyType),
        ]
        for (policy, type) in policies { #expect(policy.mergeType == type) }
        #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
    }
}

final class Living: NSManagedObject {
    private var calls: [String] = []

    func take() -> [String] {
        defer { calls = [] }
        return calls
    }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        calls.append("awakeFromInsert")
    }
    override func awakeFromFetch() {
        super.awakeFromFetch()
        calls.append("awakeFromFetch")
    }
    override func willSave() {
        super.willSave()
        calls.append("willSave")
    }
    override func didSave() {
        super.didSave()
        calls.append("didSave")
    }
    override func prepareForDeletion() {
        super.prepareForDeletion()
        calls.append("prepareForDeletion")
    }
    override func validateForInsert() throws {
        try super.validateForInsert()
        calls.append("validateForInsert")
    }
    override func validateForUpdate() throws {
        try super.validateForUpdate()
        calls.append("validateForUpdate")
    }
    override func validateForDelete() throws {
        try super.validateForDelete()
        calls.append("validateForDelete")
    }
    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        calls.append("willTurnIntoFault")
    }
    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        calls.append("didTurnIntoFault")
    }
}
