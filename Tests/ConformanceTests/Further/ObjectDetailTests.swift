import CoreData
import Testing

/// Further conformance tests for sections 9, 10, 11 and 16: objects, their callbacks, undo and
/// models.
@MainActor struct ObjectDetailTests {
    private let shop: Bookshop

    init() throws { shop = try Bookshop() }

    private func saved(_ name: String = "0") throws -> NSManagedObject {
        let author = shop.add("Author", ["name": name])
        try shop.context.save()
        return author
    }

    // MARK: Undo

    // Proves S16-23
    @Test func `undo and redo change a value back and forth, and are told`() throws {
        let author = try saved()
        let manager = UndoManager()
        shop.context.undoManager = manager
        author.setValue("1", forKey: "name")
        shop.context.processPendingChanges()
        let told = Heard(.NSManagedObjectContextObjectsDidChange, from: shop.context)
        shop.context.undo()
        shop.context.processPendingChanges()
        #expect(author.text("name") == "0" && told.objects(NSUpdatedObjectsKey) == [author])
        #expect(manager.canRedo && !manager.canUndo)
        shop.context.redo()
        shop.context.processPendingChanges()
        #expect(author.text("name") == "1" && told.objects(NSUpdatedObjectsKey) == [author])
        try shop.context.save()
        #expect(try shop.sql("SELECT ZNAME FROM ZAUTHOR") == ["1"])
    }

    // Proves S16-24
    @Test func `undoing a link empties both ends, redoing it fills them`() throws {
        let author = try saved()
        let book = try shop.stock(["t"])[0]
        shop.context.undoManager = UndoManager()
        book.setValue(author, forKey: "author")
        shop.context.processPendingChanges()
        shop.context.undo()
        #expect(author.titles.isEmpty && book.value(forKey: "author") == nil)
        shop.context.redo()
        #expect(author.titles == ["t"] && book.value(forKey: "author") as? NSObject == author)
    }

    // MARK: Changes

    // Proves S16-25
    @Test func `a primitive setter makes a change between the two announcements`() throws {
        let author = try saved()
        author.setPrimitiveValue("1", forKey: "name")
        #expect(!author.hasChanges && author.text("name") == "1")
        author.willChangeValue(forKey: "name")
        author.setPrimitiveValue("2", forKey: "name")
        author.didChangeValue(forKey: "name")
        #expect(author.isUpdated && author.changedValues()["name"] as? String == "2")
        try shop.context.save()
        #expect(try shop.sql("SELECT ZNAME FROM ZAUTHOR") == ["2"])
    }

    // Proves S16-28
    @Test func `willAccessValue without a key fires the fault`() throws {
        let author = try saved()
        shop.context.refresh(author, mergeChanges: false)
        #expect(author.isFault)
        author.willAccessValue(forKey: nil)
        author.didAccessValue(forKey: nil)
        #expect(!author.isFault)
    }

    // Proves S16-31
    @Test func `an observer sees a change with both values, before any save`() throws {
        let author = try saved()
        let book = try shop.stock(["t"])[0]
        let watcher = Watcher()
        author.addObserver(watcher, forKeyPath: "name", options: [.old, .new], context: nil)
        author.addObserver(watcher, forKeyPath: "books", options: [.new], context: nil)
        author.setValue("1", forKey: "name")
        #expect(watcher.lines == ["name 0 1"])
        book.setValue(author, forKey: "author")
        #expect(watcher.lines.last?.hasPrefix("books") == true)
        #expect(shop.context.hasChanges)
        author.removeObserver(watcher, forKeyPath: "name")
        author.removeObserver(watcher, forKeyPath: "books")
        author.setValue("2", forKey: "name")
        #expect(watcher.lines.count == 2)
    }

    // Proves S16-30
    @Test func `a context keeps a program's own user info`() {
        shop.context.userInfo["key"] = "value"
        #expect(shop.context.userInfo["key"] as? String == "value")
        #expect(shop.newContext().userInfo.count == 0)
        #expect(!shop.context.hasChanges)
    }

    // MARK: Validation

    private func strict() throws -> Bookshop {
        let name = attribute("n", .stringAttributeType)
        name.setValidationPredicates(
            [NSPredicate(format: "length < 3")],
            withValidationWarnings: ["\(NSValidationStringTooLongError)"])
        return try Bookshop(Bookshop.thing(name, attribute("m", .stringAttributeType)))
    }

    // Proves S16-26
    @Test func `a deleted object's values are not validated`() throws {
        let shop = try strict()
        let thing = shop.add("Thing", ["n": "a"])
        try shop.context.save()
        thing.setValue("too long", forKey: "n")
        #expect(failure { try shop.context.save() }?.code == NSValidationStringTooLongError)
        shop.context.delete(thing)
        try shop.context.save()
        #expect(try shop.count("Thing") == 0)
    }

    // Proves S16-27
    @Test func `only changed objects are validated`() throws {
        let shop = try strict()
        let rows: [[String: Any]] = [["n": "too long"]]
        try shop.context.execute(NSBatchInsertRequest(entityName: "Thing", objects: rows))
        let bad = try #require(try shop.find("Thing").first)
        #expect(bad.text("n") == "too long")
        shop.add("Thing", ["n": "a"])
        try shop.context.save()
        bad.setValue("x", forKey: "m")
        #expect(failure { try shop.context.save() }?.code == NSValidationStringTooLongError)
    }

    // Proves S16-29
    @Test func `a validation that is called throws what the save would`() throws {
        let shop = try strict()
        let thing = shop.add("Thing", ["n": "too long"])
        let inserting = failure { try thing.validateForInsert() }
        #expect(inserting?.code == NSValidationStringTooLongError)
        #expect(inserting?.userInfo[NSValidationKeyErrorKey] as? String == "n")
        thing.setValue("a", forKey: "n")
        try thing.validateForInsert()
        try shop.context.save()
        thing.setValue("too long", forKey: "n")
        #expect(failure { try thing.validateForUpdate() }?.code == inserting?.code)
        #expect(failure { try shop.context.save() }?.code == inserting?.code)
    }

    // MARK: Relationships

    // Proves S9-19
    @Test func `a live ordered view inserts, moves and removes members`() throws {
        let shop = try Bookshop(Bookshop.library(ordered: true))
        let author = shop.add("Author")
        let books = ["a", "b", "c"].map { shop.add("Book", ["title": $0]) }
        let view = author.mutableOrderedSetValue(forKey: "books")
        view.addObjects(from: [books[0], books[2]])
        view.insert(books[1], at: 0)
        #expect(author.titles == ["b", "a", "c"])
        view.exchangeObject(at: 0, withObjectAt: 2)
        #expect(author.titles == ["c", "a", "b"])
        view.remove(books[0])
        #expect(author.titles == ["c", "b"] && books[0].value(forKey: "author") == nil)
        #expect(books[1].value(forKey: "author") as? NSObject == author)
        try shop.context.save()
        shop.context.refresh(author, mergeChanges: false)
        #expect(author.titles == ["c", "b"])
    }

    // Proves S9-20
    @Test func `a grandchild's save changes its parent only`() throws {
        let author = try saved()
        let child = shop.newChild()
        let grandchild = shop.newChild(of: child)
        let innermost = try grandchild.existingObject(with: author.objectID)
        innermost.setValue("1", forKey: "name")
        try grandchild.save()
        let between = try child.existingObject(with: author.objectID)
        #expect(between.text("name") == "1" && between.isUpdated)
        #expect(author.text("name") == "0" && !shop.context.hasChanges)
        try child.save()
        #expect(author.text("name") == "1" && author.isUpdated)
        #expect(try shop.sql("SELECT ZNAME FROM ZAUTHOR") == ["0"])
        try shop.context.save()
        #expect(try shop.sql("SELECT ZNAME FROM ZAUTHOR") == ["1"])
    }

    // Proves S9-21
    @Test func `a key path sets a value through a to-one`() throws {
        let author = try saved()
        let book = try shop.stock(["t"])[0]
        book.setValue(author, forKey: "author")
        book.setValue("new", forKeyPath: "author.name")
        #expect(author.text("name") == "new" && author.hasChanges)
        #expect(book.value(forKeyPath: "author.books.@count") as? Int == 1)
    }

    // MARK: Models

    // Proves S10-28
    @Test func `an entity is found by its name in a context`() throws {
        let found = NSEntityDescription.entity(forEntityName: "Book", in: shop.context)
        #expect(found?.name == "Book")
        #expect(NSEntityDescription.entity(forEntityName: "None", in: shop.context) == nil)
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: shop.context)
        #expect(book.entity == found && book.isInserted)
    }

    // Proves S10-29
    @Test func `a used model cannot be changed, its copy can`() async throws {
        let copy = try #require(shop.model.copy() as? NSManagedObjectModel)
        let extra = Bookshop.plain("Extra", [attribute("x", .stringAttributeType)])
        copy.entities += [extra]
        #expect(copy.entitiesByName.count == 3 && shop.model.entitiesByName.count == 2)
        await #expect(processExitsWith: .failure) {
            try await MainActor.run {
                let shop = try Bookshop()
                shop.model.entities += [Bookshop.plain("Extra", [])]
            }
        }
    }

    // Proves S10-30
    @Test func `an entity is a kind of its parents`() {
        let (base, middle, leaf, other) = (
            Bookshop.plain("Base", []), Bookshop.plain("Middle", []), Bookshop.plain("Leaf", []),
            Bookshop.plain("Other", [])
        )
        base.subentities = [middle, other]
        middle.subentities = [leaf]
        _ = model(base, middle, leaf, other)
        #expect(leaf.isKindOf(entity: leaf) && leaf.isKindOf(entity: middle))
        #expect(leaf.isKindOf(entity: base) && !leaf.isKindOf(entity: other))
        #expect(!base.isKindOf(entity: leaf))
    }

    // Proves S10-31
    @Test func `a hash modifier changes its entity's hash only`() {
        func hashes(_ modifier: String?) -> [String: Data] {
            let model = Bookshop.library()
            model.entitiesByName["Book"]?.versionHashModifier = modifier
            return model.entityVersionHashesByName
        }
        #expect(hashes(nil) == hashes(nil) && hashes("1") == hashes("1"))
        #expect(hashes("1")["Book"] != hashes(nil)["Book"])
        #expect(hashes("1")["Book"] != hashes("2")["Book"])
        #expect(hashes("1")["Author"] == hashes(nil)["Author"])
    }

    // MARK: Attributes

    // Proves S11-23
    @Test func `a derived attribute is searched and sorted in the store`() throws {
        let folded = NSDerivedAttributeDescription()
        folded.name = "folded"
        folded.attributeType = .stringAttributeType
        folded.isOptional = true
        folded.derivationExpression = NSExpression(format: "canonical:(name)")
        let shop = try Bookshop(
            Bookshop.thing(attribute("name", .stringAttributeType), folded))
        for name in ["Éa", "eb", "Z"] { shop.add("Thing", ["name": name]) }
        try shop.context.save()
        let sorted = try shop.find("Thing", by: "folded").map { $0.text("name") }
        #expect(sorted == ["Éa", "eb", "Z"])
        #expect(try shop.find("Thing", "folded == 'ea'").map { $0.text("name") } == ["Éa"])
    }

    // Proves S11-24
    @Test func `a new object has the defaults of its attributes`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 60)
        let shop = try Bookshop(
            Bookshop.thing(
                attribute("s", .stringAttributeType, default: "text"),
                attribute("i", .integer16AttributeType, optional: false, default: 7),
                attribute("d", .dateAttributeType, default: date),
                attribute("n", .doubleAttributeType)))
        let thing = shop.add("Thing")
        #expect(thing.text("s") == "text" && thing.number("i") == 7)
        #expect(thing.value(forKey: "d") as? Date == date && thing.value(forKey: "n") == nil)
        thing.setValue(nil, forKey: "s")
        try shop.context.save()
        shop.context.refresh(thing, mergeChanges: false)
        #expect(thing.value(forKey: "s") == nil && thing.number("i") == 7)
    }
}

private final class Watcher: NSObject, KeyValueObserver {
    private(set) var lines: [String] = []

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        let words = [change?[.oldKey], change?[.newKey]].compactMap { $0 }.map { "\($0)" }
        lines.append(([keyPath ?? ""] + words).joined(separator: " "))
    }
}
