import CoreData
import Foundation

/// A store with 600 books and 150 authors, and its model as a file. Only relationships have an
/// index.
final class Shelf {
    let folder: URL
    var store: String { folder.appendingPathComponent("shelf.sqlite").path }
    var model: String { folder.appendingPathComponent("Shelf.xcdatamodel").path }

    private static let contents = """
        <model>
          <entity name="Book">
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="year" optional="YES" attributeType="Integer 32"/>
            <attribute name="pages" optional="YES" attributeType="Integer 32"/>
            <relationship name="author" optional="YES" maxCount="1" destinationEntity="Author"
              inverseName="books" inverseEntity="Author" deletionRule="Nullify"/>
          </entity>
          <entity name="Author">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book"
              inverseName="author" inverseEntity="Book" deletionRule="Nullify"/>
          </entity>
        </model>
        """

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-shelf-\(UUID().uuidString)")
        let url = folder.appendingPathComponent("Shelf.xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data(Self.contents.utf8).write(to: url.appendingPathComponent("contents"))
        guard let model = NSManagedObjectModel(contentsOf: url) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        try fill(NSPersistentStoreCoordinator(managedObjectModel: model))
    }

    /// Runs the body with a shelf, which exists until the body ends.
    static func with<T>(_ body: (Shelf) throws -> T) throws -> T {
        let shelf = try Shelf()
        return try withExtendedLifetime(shelf) { try body(shelf) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func fill(_ coordinator: NSPersistentStoreCoordinator) throws {
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: store),
            options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for number in 0..<600 {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                let letter = Unicode.Scalar(UInt8(ascii: "a") + UInt8(number % 26))
                book.setValue("\(letter)\(number)", forKey: "title")
                book.setValue(1900 + number % 100, forKey: "year")
                book.setValue(number % 97, forKey: "pages")
                guard number % 4 == 0 else { continue }
                let author = NSEntityDescription.insertNewObject(
                    forEntityName: "Author", into: context)
                author.setValue("Author \(number / 4)", forKey: "name")
                author.setValue(NSSet(object: book), forKey: "books")
            }
            try context.save()
        }
        try coordinator.remove(store)
    }
}
