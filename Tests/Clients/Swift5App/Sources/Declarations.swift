import CoreData

// Declarations as in apps for Apple's platforms. Both clients compile this file.

/// The code that Xcode generates for a class, and the code that apps typically add.
class Reading: NSManagedObject {
    convenience init(context: NSManagedObjectContext) {
        self.init(
            entity: NSEntityDescription.entity(forEntityName: "Reading", in: context)!,
            insertInto: context)
        setValue("made by init(context:)", forKey: "title")
    }

    convenience init(title: String, in context: NSManagedObjectContext) {
        self.init(context: context)
        setValue(title, forKey: "title")
    }
}

extension Reading {
    /// The method as Xcode generates it.
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Reading> {
        return NSFetchRequest<Reading>(entityName: "Reading")
    }
}

enum Declarations {
    static func makeModel() -> NSManagedObjectModel {
        let reading = NSEntityDescription()
        reading.name = "Reading"
        reading.managedObjectClassName = NSStringFromClass(Reading.self)
        let types: [(String, NSAttributeType)] = [
            ("title", .stringAttributeType), ("at", .dateAttributeType),
            ("id", .UUIDAttributeType), ("page", .URIAttributeType),
            ("raw", .binaryDataAttributeType),
            ("price", .decimalAttributeType),
        ]
        reading.properties = types.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [reading]
        return model
    }

    static func run(in folder: URL) throws {
        let container = NSPersistentContainer(
            name: "Readings", managedObjectModel: makeModel())
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appendingPathComponent("Readings.sqlite"))
        ]
        var failure: Error?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        let context = container.newBackgroundContext()
        var thrown: Error?
        context.performAndWait {
            do { try checkAll(in: context) } catch { thrown = error }
        }
        if let thrown { throw thrown }
    }

    private static func checkAll(in context: NSManagedObjectContext) throws {
        let (at, id) = (Date(timeIntervalSinceReferenceDate: 1), UUID())
        let (page, raw) = (URL(string: "https://example.org/a")!, Data([1, 2]))
        let price = Decimal(string: "1.5")!
        let reading = Reading(context: context)
        let values: [String: Any] = [
            "at": at, "id": id, "page": page, "raw": raw, "price": NSDecimalNumber(decimal: price),
        ]
        for (key, value) in values { reading.setValue(value, forKey: key) }
        _ = Reading(title: "other", in: context)
        try context.save()

        let request = Reading.fetchRequest()
        check(try context.count(for: request) == 2, "the request of the class finds both")
        let arguments: [(String, CVarArg)] = [
            ("at == %@", at as CVarArg), ("id == %@", id as CVarArg),
            ("page == %@", page as CVarArg),
            ("raw == %@", raw as CVarArg), ("price == %@", price as CVarArg),
            ("self == %@", reading as CVarArg), ("self == %@", reading.objectID as CVarArg),
            ("title IN %@", ["made by init(context:)"] as CVarArg),
            ("id IN %@", Set([id]) as CVarArg), ("at == %@", at as NSDate),
        ]
        for (format, argument) in arguments {
            request.predicate = NSPredicate(format: format, argument)
            check(try context.fetch(request) == [reading], "\(format) finds the first")
        }
        request.predicate = NSPredicate(
            format: "at == %@ AND id == %@", at as CVarArg, id as CVarArg)
        check(try context.count(for: request) == 1, "two arguments")
        check(
            String(format: "%@ %d", id as CVarArg, 7) == "\(id.uuidString) 7",
            "an argument is an object for other formats, too")
        try checkSections(in: context)
        Surface.run()
        Surface.useSubscript(reading)
    }

    private static func checkSections(in context: NSManagedObjectContext) throws {
        let request = Reading.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "title",
            cacheName: nil)
        try controller.performFetch()
        let second = controller.object(at: IndexPath(row: 0, section: 1))
        let place = controller.indexPath(forObject: second)
        check(place?.section == 1 && place?.row == 0 && place?.item == 0, "a row of a section")
        check(IndexPath(item: 3, section: 2) == IndexPath(row: 3, section: 2), "items are rows")
    }
}
