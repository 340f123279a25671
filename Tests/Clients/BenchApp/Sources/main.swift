import CoreData
import FaultlineBench
import Foundation

/// An environment variable selects the regression, so that a gate fails.
enum Plant: String {
    case statement, prefetch, slow

    static let current = ProcessInfo.processInfo.environment["SHELF_PLANT"].flatMap(Plant.init)
}

@Sendable func readShelves(_ context: NSManagedObjectContext) throws -> UInt64 {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
    if Plant.current != .prefetch { request.relationshipKeyPathsForPrefetching = ["books"] }
    if Plant.current == .statement {
        _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
    }
    var letters = 0
    for shelf in try context.fetch(request) {
        for book in shelf.value(forKey: "books") as? Set<NSManagedObject> ?? [] {
            letters += (book.value(forKey: "title") as? String)?.count ?? 0
        }
    }
    return UInt64(letters)
}

FaultlineBench.main([
    BenchWorkload(
        "read-shelves", about: "The first screen: all shelves with the titles of their books.",
        model: Model.make(), prepare: { try Model.fill($0, shelves: 100) },
        run: { context in
            let clock = ContinuousClock()
            let begun = clock.now
            let letters = try readShelves(context)
            if Plant.current == .slow {
                let end = begun + (clock.now - begun) * 40
                while clock.now < end {}
            }
            return letters
        }),
    BenchWorkload(
        "add-shelf", about: "A new shelf with ten books is saved.", model: Model.make(),
        prepare: { _ in },
        run: { context in
            try Model.fill(context, shelves: 1)
            let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
            return UInt64(try context.count(for: books))
        }),
])
