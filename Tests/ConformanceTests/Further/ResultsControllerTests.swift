import CoreData
import Testing

/// Conformance tests for section 14: results controllers.
@MainActor struct ResultsControllerTests {
    private let shop: Bookshop

    init() throws { shop = try Bookshop() }

    private func controller(
        _ keys: [String], sections: String? = nil, _ format: String? = nil, cache: String? = nil
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = shop.request("Book", format)
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: shop.context, sectionNameKeyPath: sections,
            cacheName: cache)
    }

    /// A controller that has performed its fetch. Its delegate is the diary.
    private func watched(
        _ diary: Diary, _ keys: [String], sections: String? = nil, _ format: String? = nil
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let made = controller(keys, sections: sections, format)
        made.delegate = diary
        try made.performFetch()
        return made
    }

    // MARK: Sections

    // Proves S14-1, S14-2
    @Test func `there are no sections before the fetch, and one without a key path`() throws {
        let made = controller(["title"])
        #expect(made.sections == nil && made.fetchedObjects == nil)
        try made.performFetch()
        #expect(made.sections?.map(\.name) == [""])
        #expect(made.sections?.map(\.numberOfObjects) == [0] && made.fetchedObjects == [])
    }

    // Proves S14-3, S14-4
    @Test func `sections have names, objects and titles of one capital letter`() throws {
        let books = try shop.stock(["a", "b"])
        let made = controller(["title"], sections: "title")
        try made.performFetch()
        #expect(made.sections?.map(\.name) == ["a", "b"])
        #expect(made.sections?[1].objects as? [NSManagedObject] == [books[1]])
        #expect(made.sections?.map(\.indexTitle) == ["A", "B"])
        #expect(made.sectionIndexTitles == ["A", "B"])
        #expect(made.section(forSectionIndexTitle: "B", at: 1) == 1)
        #expect(made.sectionIndexTitle(forSectionName: "xyz") == "X")
        #expect(made.object(at: IndexPath(indexes: [1, 0])) == books[1])
        #expect(made.indexPath(forObject: books[0]) == IndexPath(indexes: [0, 0]))
    }

    // Proves S14-5
    @Test func `numbers as section names are converted to text`() throws {
        _ = try shop.stock(["a", "b"])
        let made = controller(["year"], sections: "year")
        try made.performFetch()
        #expect(made.sections?.map(\.name) == ["0", "1"])
        #expect(made.sectionNameKeyPath == "year" && made.cacheName == nil)
    }

    // Proves S14-6
    @Test func `an order that splits sections is refused`() throws {
        for (title, year) in [("a", 2), ("b", 1), ("c", 2)] {
            shop.add("Book", ["title": title, "year": year])
        }
        try shop.context.save()
        let broken = controller(["title"], sections: "year")
        #expect(failure { try broken.performFetch() } != nil)
    }

    // Proves S14-7
    @Test func `a request whose sort descriptors are nil is refused`() async {
        await #expect(processExitsWith: .failure) {
            try await MainActor.run {
                let shop = try Bookshop()
                _ = NSFetchedResultsController(
                    fetchRequest: shop.request("Book"), managedObjectContext: shop.context,
                    sectionNameKeyPath: nil, cacheName: nil)
            }
        }
    }

    // Proves S14-19
    @Test func `an empty list of sort descriptors is accepted`() throws {
        _ = try shop.stock(["a", "b"])
        let unordered = controller([])
        try unordered.performFetch()
        #expect(Set(unordered.fetchedObjects?.map { $0.text("title") } ?? []) == ["a", "b"])
    }

    // MARK: Delegates

    // Proves S14-8
    @Test func `a delegate names the sections' titles`() throws {
        _ = try shop.stock(["a"])
        let made = controller(["title"], sections: "title")
        let delegate = Titling()
        made.delegate = delegate
        try made.performFetch()
        #expect(made.sectionIndexTitles == ["<a>"])
    }

    // Proves S14-9, S14-10
    @Test func `without a delegate, or with one that only names titles, nothing is tracked`() throws
    {
        _ = try shop.stock(["a"])
        let (plain, titled) = (controller(["title"]), controller(["title"]))
        let delegate = OnlyTitling()
        titled.delegate = delegate
        for made in [plain, titled] { try made.performFetch() }
        _ = try shop.stock(["b"])
        #expect(plain.fetchedObjects?.count == 1 && titled.fetchedObjects?.count == 1)
        try plain.performFetch()
        #expect(plain.fetchedObjects?.count == 2)
    }

    // Proves S14-11
    @Test func `the only object of a section moves with its section`() throws {
        let books = try shop.stock(["a", "b", "c"])
        shop.context.delete(books[0])
        try shop.context.save()
        let diary = Diary()
        let made = try watched(diary, ["year", "title"], sections: "year")
        books[1].setValue(3, forKey: "year")
        shop.context.processPendingChanges()
        #expect(diary.lines.first == "will" && diary.lines.last == "did")
        let inner = Set(diary.lines.dropFirst().dropLast())
        #expect(inner == ["-section 0", "+section 1", "move 0.0 to 1.0"])
        #expect(made.sections?.map(\.name) == ["2", "3"])
    }

    // Proves S14-12
    @Test func `an update that changes whether an object matches inserts or deletes it`() throws {
        let books = try shop.stock(["a", "b"])
        let diary = Diary()
        let made = try watched(diary, ["title"], "year == 0")
        books[0].setValue(7, forKey: "year")
        shop.context.processPendingChanges()
        #expect(diary.take() == ["will", "delete 0.0", "did"])
        books[1].setValue(0, forKey: "year")
        shop.context.processPendingChanges()
        #expect(diary.take() == ["will", "insert 0.0", "did"])
        #expect(made.fetchedObjects == [books[1]])
    }

    // Proves S14-13
    @Test func `a difference has ids and indexes`() throws {
        let books = try shop.stock(["a", "c"])
        let diary = Differences()
        let made = controller(["title"])
        made.delegate = diary
        try made.performFetch()
        let added = shop.add("Book", ["title": "b"])
        try shop.context.save()
        guard case .insert(let place, let id, _)? = diary.all.last?.insertions.first else {
            Issue.record("no insertion")
            return
        }
        #expect(place == 1 && id.entity.name == added.entity.name)
        shop.context.delete(books[0])
        shop.context.processPendingChanges()
        #expect(diary.all.last?.removals.count == 1)
    }

    // Proves S14-14
    @Test func `a change of a related object is not an update`() throws {
        let author = shop.add("Author", ["name": "z"])
        shop.add("Book", ["title": "t", "author": author])
        try shop.context.save()
        let diary = Diary()
        let made = try watched(diary, ["title"])
        author.setValue("y", forKey: "name")
        shop.context.processPendingChanges()
        #expect(diary.lines.isEmpty && made.fetchedObjects?.count == 1)
    }

    // Proves S14-15
    @Test func `a reset is not reported, and a new fetch reads again`() throws {
        _ = try shop.stock(["a"])
        let diary = Diary()
        let made = try watched(diary, ["title"])
        shop.context.reset()
        #expect(diary.lines.isEmpty)
        try made.performFetch()
        #expect(made.fetchedObjects?.map { $0.text("title") } == ["a"])
    }

    // Proves S14-16
    @Test func `a cached request cannot be changed until its cache is deleted`() throws {
        _ = try shop.stock(["a"])
        let name = "cache-\(UUID().uuidString)"
        let made = controller(["title"], cache: name)
        try made.performFetch()
        made.fetchRequest.predicate = NSPredicate(format: "year == 4")
        #expect(failure { try made.performFetch() } != nil)
        NSFetchedResultsController<NSManagedObject>.deleteCache(withName: name)
        try made.performFetch()
        #expect(made.fetchedObjects == [])
    }

    // Proves S14-17
    @Test func `a merged change moves its object`() throws {
        let books = try shop.stock(["a", "b"])
        let diary = Diary()
        let made = try watched(diary, ["title"])
        let other = shop.newContext()
        let saves = Heard(.NSManagedObjectContextDidSave, from: other)
        try other.existingObject(with: books[0].objectID).setValue("c", forKey: "title")
        try other.save()
        shop.context.mergeChanges(fromContextDidSave: try #require(saves.notes.first))
        #expect(diary.lines.contains("move 0.0 to 0.1"))
        #expect(made.fetchedObjects == [books[1], books[0]])
    }

    // Proves S14-18
    @Test func `a new object has the position that a fetch would return`() throws {
        _ = try shop.stock(["eb", "Éa", "file", "Zz"])
        let request = shop.request("Book")
        request.sortDescriptors = [
            NSSortDescriptor(
                key: "title", ascending: true, selector: Selector("caseInsensitiveCompare:"))
        ]
        let made = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: shop.context, sectionNameKeyPath: nil,
            cacheName: nil)
        let diary = Diary()
        made.delegate = diary
        try made.performFetch()
        shop.add("Book", ["title": "m"])
        shop.context.processPendingChanges()
        #expect(made.fetchedObjects == (try shop.context.fetch(request)))
    }
}

private final class Diary: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var lines: [String] = []

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    private func text(_ path: IndexPath?) -> String {
        (path ?? []).map(String.init).joined(separator: ".")
    }

    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) { lines.append("will") }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange object: Any, at path: IndexPath?, for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        switch type {
        case .insert: lines.append("insert \(text(newIndexPath))")
        case .delete: lines.append("delete \(text(path))")
        case .move: lines.append("move \(text(path)) to \(text(newIndexPath))")
        default: lines.append("update \(text(path))")
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange section: any NSFetchedResultsSectionInfo, atSectionIndex index: Int,
        for type: NSFetchedResultsChangeType
    ) { lines.append("\(type == .insert ? "+" : "-")section \(index)") }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) { lines.append("did") }
}

private final class Differences: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var all: [CollectionDifference<NSManagedObjectID>] = []

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) { all.append(diff) }
}

private final class OnlyTitling: NSObject, NSFetchedResultsControllerDelegate {
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? { "<" + sectionName + ">" }
}

private final class Titling: NSObject, NSFetchedResultsControllerDelegate {
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? { "<" + sectionName + ">" }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}
}
