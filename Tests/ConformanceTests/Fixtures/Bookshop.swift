import CoreData
import CoreDataSQLite
import TestSupport
import Testing

/// A stack with a new store and a context on the main queue. The model has authors and their books
/// by default.
@MainActor
final class Bookshop {
    let folder: TemporaryFolder
    let model: NSManagedObjectModel
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    /// - Parameters:
    ///   - model: the model; nil for `library()`.
    ///   - folder: the folder of another shop, to open the same store; nil for a new folder.
    init(
        _ model: NSManagedObjectModel? = nil, type: String = NSSQLiteStoreType,
        in folder: TemporaryFolder? = nil, options: [AnyHashable: Any]? = nil
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.model = model ?? Self.library()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: self.model)
        let url = self.folder.url.appendingPathComponent("shop.store")
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil,
            at: type == NSInMemoryStoreType ? nil : url, options: options)
        context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    static let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true as NSNumber]

    var url: URL { folder.url.appendingPathComponent("shop.store") }

    func newContext() -> NSManagedObjectContext {
        let made = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        made.persistentStoreCoordinator = coordinator
        return made
    }

    func newChild(of parent: NSManagedObjectContext? = nil) -> NSManagedObjectContext {
        let made = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        made.parent = parent ?? context
        return made
    }

    // MARK: Objects

    @discardableResult
    func add(
        _ entity: String, _ values: [String: Any] = [:], to other: NSManagedObjectContext? = nil
    ) -> NSManagedObject {
        let made = NSEntityDescription.insertNewObject(
            forEntityName: entity, into: other ?? context)
        for (key, value) in values { made.setValue(value, forKey: key) }
        return made
    }

    /// Adds books with these titles. Their years are 0, 1, 2 and so on.
    func stock(_ titles: [String]) throws -> [NSManagedObject] {
        let books = titles.enumerated().map { add("Book", ["title": $1, "year": $0]) }
        try context.save()
        return books
    }

    func request(
        _ entity: String, _ format: String? = nil, _ arguments: [Any] = [], by key: String? = nil
    ) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
        request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
        return request
    }

    func find(
        _ entity: String, _ format: String? = nil, _ arguments: [Any] = [], by key: String? = nil
    ) throws -> [NSManagedObject] {
        try context.fetch(request(entity, format, arguments, by: key))
    }

    func count(_ entity: String, _ format: String? = nil, _ arguments: [Any] = []) throws -> Int {
        try context.count(for: request(entity, format, arguments))
    }

    func rows(_ entity: String, _ properties: [Any]) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: entity)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        return request
    }

    /// Runs a query on the store's file, with a separate SQLite connection.
    func sql(_ text: String) throws -> [String] {
        try TestSupport.rows(try Connection(.file(url.path)), text)
    }

    // MARK: Models

    static func library(
        ordered: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule, needsAuthor: Bool = false
    ) -> NSManagedObjectModel {
        let author = plain("Author", [attribute("name", .stringAttributeType)])
        let book = plain(
            "Book",
            [
                attribute("title", .stringAttributeType),
                attribute("year", .integer32AttributeType),
                attribute("price", .doubleAttributeType),
            ])
        link(author, "books", book, "author", ordered: ordered, rule: rule)
        if needsAuthor {
            let link = book.relationshipsByName["author"]
            link?.isOptional = false
            link?.minCount = 1
        }
        return ConformanceTests.model(author, book)
    }

    static func plain(
        _ name: String, _ attributes: [NSAttributeDescription]
    ) -> NSEntityDescription {
        Company.plain(name, attributes)
    }

    static func link(
        _ owner: NSEntityDescription, _ many: String, _ member: NSEntityDescription, _ one: String,
        ordered: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule
    ) {
        relate(
            End(owner: owner, name: many, toMany: true, ordered: ordered, rule: rule),
            End(owner: member, name: one))
    }

    static func thing(_ attributes: NSAttributeDescription...) -> NSManagedObjectModel {
        ConformanceTests.model(plain("Thing", attributes))
    }
}

extension NSManagedObject {
    func text(_ key: String) -> String? { value(forKey: key) as? String }

    func number(_ key: String) -> Int? { (value(forKey: key) as? NSNumber)?.intValue }

    /// The titles of the books, in order if the relationship is ordered.
    var titles: [String] {
        if let list = value(forKey: "books") as? NSOrderedSet {
            return list.compactMap { ($0 as? NSManagedObject)?.text("title") }
        }
        let set = value(forKey: "books") as? Set<NSManagedObject> ?? []
        return set.compactMap { $0.text("title") }.sorted()
    }
}

/// The error that the body throws; nil if it throws none.
func failure(_ body: () throws -> Void) -> NSError? {
    do {
        try body()
        return nil
    } catch {
        return error as NSError
    }
}

@MainActor
final class Heard {
    private var tokens: [any NSObjectProtocol] = []
    private(set) var notes: [Notification] = []

    init(_ name: Notification.Name, from object: AnyObject?) {
        let token = NotificationCenter.default.addObserver(
            forName: name, object: object, queue: nil
        ) { [weak self] note in
            // `@unchecked Sendable` because the block runs on the main thread while the
            // notification is posted.
            nonisolated(unsafe) let note = note
            MainActor.assumeIsolated { self?.notes.append(note) }
        }
        tokens.append(token)
    }

    isolated deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

    func objects(_ key: String) -> Set<NSManagedObject> {
        notes.last?.userInfo?[key] as? Set<NSManagedObject> ?? []
    }
}
