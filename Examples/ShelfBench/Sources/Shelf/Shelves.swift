import CoreData
import Foundation

/// The store operations of the app's screens.
public enum Shelves {
    /// The app's model, loaded from this module's resource bundle.
    public static let model: NSManagedObjectModel =
        NSManagedObjectModel.mergedModel(from: [.module]) ?? NSManagedObjectModel()

    /// The first screen: every shelf with the titles of its books.
    public static func titles(in context: NSManagedObjectContext) throws -> [[String]] {
        let request = Shelf.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Shelf.name, ascending: true)]
        // Without prefetching, each shelf reads its books with a separate SQL statement.
        request.relationshipKeyPathsForPrefetching = ["books"]
        return try context.fetch(request).map { shelf in
            let books = shelf.books as? Set<Book> ?? []
            return books.compactMap(\.title).sorted()
        }
    }

    /// Creates shelves with ten books each, and saves them.
    public static func fill(_ context: NSManagedObjectContext, count: Int) throws {
        for number in 0..<count {
            let shelf = Shelf(context: context)
            shelf.name = "Shelf \(number)"
            for index in 0..<10 {
                let book = Book(context: context)
                book.title = "Book \(index)"
                book.shelf = shelf
            }
        }
        try context.save()
    }
}
