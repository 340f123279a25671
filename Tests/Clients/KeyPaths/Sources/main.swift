import CoreData
import Shop

// Sorting by a key path and by its key must have the same result, also in an optimised or stripped
// program.

func fail(_ what: String) -> Never {
    print("failed: \(what)")
    exit(1)
}

/// The number of objects of each entity.
let count = 7

/// The expected position of an object. The order differs from that of creation.
func place(_ index: Int, _ factor: Int) -> Int { index * factor % count }

func date(_ index: Int, _ factor: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(place(index, factor)))
}

func makeAuthor(_ index: Int, _ context: NSManagedObjectContext) -> Author {
    let publisher = Publisher(context: context)
    publisher.name = "publisher \(place(index, 3))"
    publisher.country = "country \(place(index, 5))"
    publisher.founded = Int32(1900 + place(index, 2))
    let author = Author(context: context)
    author.name = "author \(place(index, 2))"
    author.age = Int16(20 + place(index, 4))
    author.born = date(index, 5)
    author.publisher = publisher
    return author
}

func makeSeries(_ index: Int, _ context: NSManagedObjectContext) -> Series {
    let series = Series(context: context)
    series.name = "series \(place(index, 6))"
    series.volume = Int32(place(index, 3))
    return series
}

func makeLibrary(_ index: Int, _ context: NSManagedObjectContext) -> Library {
    let library = Library(context: context)
    library.town = "town \(place(index, 4))"
    library.floors = Int16(place(index, 2))
    return library
}

func makeBook(_ index: Int, _ context: NSManagedObjectContext) -> Book {
    let book = Book(context: context)
    book.title = index == 3 ? nil : "title \(place(index, 5))"
    book.pages = Int16(place(index, 2))
    book.words = Int32(place(index, 3))
    book.size = Int64(place(index, 4)) << 40
    book.rating = Double(place(index, 5)) / 2
    book.weight = Float(place(index, 6)) / 4
    book.stars = index == 2 ? nil : NSNumber(value: place(index, 2))
    book.ratio = NSNumber(value: Double(place(index, 3)) / 8)
    book.price = NSDecimalNumber(value: place(index, 4))
    book.isbn = UUID(uuidString: "00000000-0000-0000-0000-00000000000\(place(index, 5))")
    book.place = URL(string: "https://example.org/\(place(index, 6))")
    book.added = date(index, 2)
    book.printed = date(index, 3).timeIntervalSinceReferenceDate
    book.default = "default \(place(index, 4))"
    book.class_ = "class \(place(index, 6))"
    return book
}

func makeJournal(_ index: Int, _ context: NSManagedObjectContext) -> Journal {
    let journal = Journal(context: context)
    journal.issue = Int32(place(index, 2))
    journal.editor = "editor \(place(index, 3))"
    journal.fee = Double(place(index, 4))
    journal.due = date(index, 5)
    return journal
}

/// Values are not in the order of creation.
func fill(_ context: NSManagedObjectContext) throws {
    let authors = (0..<count).map { makeAuthor($0, context) }
    let series = (0..<count).map { makeSeries($0, context) }
    let libraries = (0..<count).map { makeLibrary($0, context) }
    for index in 0..<count {
        let (book, journal) = (makeBook(index, context), makeJournal(index, context))
        book.author = authors[place(index, 2)]
        book.series = series[place(index, 3)]
        journal.owner = libraries[place(index, 6)]
        for (item, factor) in [(book as Item, 3), (journal, 4)] {
            item.label = "label \(place(index, factor))"
            item.number = Int64(place(index, factor + 1))
            item.created = date(index, factor)
            item.isKept = index.isMultiple(of: factor)
        }
    }
    try context.save()
}

/// Objects with equal values stay in the order of creation.
func objects(
    _ entity: String, by descriptor: NSSortDescriptor, in context: NSManagedObjectContext
) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [descriptor]
    return try context.fetch(request)
}

/// - Returns: the number of cases whose order is correct.
func compare(_ type: String, _ url: URL) throws -> Int {
    guard let model = Shop.model() else { fail("the model") }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return try context.performAndWait {
        try fill(context)
        for test in Case.all {
            let named = NSSortDescriptor(key: test.key, ascending: test.descriptor.ascending)
            let expected = try objects(test.entity, by: named, in: context)
            do {
                let found = try objects(test.entity, by: test.descriptor, in: context)
                if found != expected { fail("\(type): \(test.entity) by \(test.key)") }
            } catch {
                fail("\(type): \(test.entity) by \(test.key): \(error)")
            }
        }
        return Case.all.count
    }
}

let file = FileManager.default.temporaryDirectory
    .appendingPathComponent("key-paths-\(UUID().uuidString).sqlite")
defer {
    for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
}
guard Case.all.count == 50 else { fail("\(Case.all.count) cases") }
for (type, url) in [
    (NSSQLiteStoreType, file), (NSInMemoryStoreType, URL(fileURLWithPath: "/dev/null")),
] {
    print("\(type): \(try compare(type, url)) orders by key path are those by name")
}
