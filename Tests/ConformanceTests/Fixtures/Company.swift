import CoreData
import Testing

/// Teams and persons with every kind of relationship. Persons record their callbacks.
enum Company {
    static func makeModel() -> NSManagedObjectModel {
        let note = attribute("note", .stringAttributeType)
        note.isTransient = true
        let person = entity(
            "Person", Person.self,
            [
                attribute("name", .stringAttributeType),
                attribute("age", .integer64AttributeType, default: 18), note,
            ])
        let employee = entity(
            "Employee", Employee.self, [attribute("salary", .doubleAttributeType)])
        person.subentities = [employee]
        let team = plain("Team", [attribute("name", .stringAttributeType)])
        let tag = plain("Tag", [attribute("name", .stringAttributeType)])
        relate(
            End(owner: team, name: "members", toMany: true), End(owner: person, name: "team"))
        relate(
            End(owner: person, name: "reports", toMany: true, rule: .cascadeDeleteRule),
            End(owner: person, name: "boss"))
        relate(
            End(owner: person, name: "tags", toMany: true),
            End(owner: tag, name: "people", toMany: true))
        return ConformanceTests.model(team, tag, person, employee)
    }

    static func plain(
        _ name: String, _ attributes: [NSAttributeDescription]
    ) -> NSEntityDescription {
        let made = entity(name, NSManagedObject.self, attributes)
        made.managedObjectClassName = "NSManagedObject"
        return made
    }
}

class Person: NSManagedObject {
    var calls: [String] = []
    var onFetch: ((Person) -> Void)?
    var onWillSave: ((Person) -> Void)?
    var onDidSave: ((Person) -> Void)?
    var onValidate: ((Person) throws -> Void)?
    var onWillFault: ((Person) -> Void)?
    var onDelete: ((Person) -> Void)?

    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
    var team: NSManagedObject? {
        get { value(forKey: "team") as? NSManagedObject }
        set { setValue(newValue, forKey: "team") }
    }
    var boss: Person? {
        get { value(forKey: "boss") as? Person }
        set { setValue(newValue, forKey: "boss") }
    }
    var reports: Set<Person> { value(forKey: "reports") as? Set<Person> ?? [] }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        calls.append("insert age \(value(forKey: "age") ?? "nil")")
    }
    override func awakeFromFetch() {
        super.awakeFromFetch()
        calls.append("fetch")
        onFetch?(self)
    }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        calls.append("snapshot \(flags.rawValue)")
    }
    override func prepareForDeletion() {
        super.prepareForDeletion()
        calls.append(boss == nil ? "prepare" : "prepare, has boss")
        onDelete?(self)
    }
    override func willSave() {
        super.willSave()
        calls.append("willSave")
        onWillSave?(self)
    }
    override func didSave() {
        super.didSave()
        calls.append("didSave")
        onDidSave?(self)
    }
    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        calls.append("willTurnIntoFault")
        onWillFault?(self)
    }
    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        calls.append("didTurnIntoFault")
    }
    override func validateForInsert() throws {
        calls.append("validateForInsert")
        try super.validateForInsert()
        try onValidate?(self)
    }
    override func validateForUpdate() throws {
        calls.append("validateForUpdate")
        try super.validateForUpdate()
        try onValidate?(self)
    }
    override func validateForDelete() throws {
        calls.append("validateForDelete")
        try super.validateForDelete()
        try onValidate?(self)
    }
}

final class Employee: Person {}

/// A coordinator on a new file. Releasing the fixture removes the file.
final class Office {
    let folder: URL
    let container: NSPersistentContainer

    init(_ model: NSManagedObjectModel = Company.makeModel()) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("office-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        container = try Self.container(model, at: folder)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A second stack on the same file.
    func twin(_ model: NSManagedObjectModel = Company.makeModel()) throws -> NSPersistentContainer {
        try Self.container(model, at: folder)
    }

    private static func container(
        _ model: NSManagedObjectModel, at folder: URL
    ) throws -> NSPersistentContainer {
        let made = NSPersistentContainer(name: "Office", managedObjectModel: model)
        made.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appendingPathComponent("Office.sqlite"))
        ]
        var failure: (any Error)?
        made.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return made
    }

    var coordinator: NSPersistentStoreCoordinator { container.persistentStoreCoordinator }

    func context(_ policy: NSMergePolicy = .error) -> NSManagedObjectContext {
        let context = container.newBackgroundContext()
        context.mergePolicy = policy
        return context
    }

    /// Runs the body with a new context, on its queue.
    @discardableResult
    func work<T>(
        _ policy: NSMergePolicy = .error, _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        let context = context(policy)
        return try context.performAndWait { () throws(any Error) -> T in try body(context) }
    }

    @discardableResult
    func hire(_ name: String) throws -> NSManagedObjectID {
        try work { context in
            let person = context.person(name)
            try context.save()
            return person.objectID
        }
    }

    /// Sets a value in another context, and saves it.
    func change(_ id: NSManagedObjectID, _ key: String, _ value: Any?) throws {
        try work { context in
            try context.existingObject(with: id).setValue(value, forKey: key)
            try context.save()
        }
    }
}

extension NSManagedObjectContext {
    func new(_ entity: String, _ name: String? = nil) -> NSManagedObject {
        let made = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        if let name { made.setValue(name, forKey: "name") }
        return made
    }

    func person(_ name: String? = nil) -> Person {
        let made = Person(context: self)
        if let name { made.name = name }
        return made
    }

    func known(_ id: NSManagedObjectID) throws -> Person {
        try #require(try existingObject(with: id) as? Person)
    }

    func people(
        _ format: String? = nil, _ adjust: (NSFetchRequest<Person>) -> Void = { _ in }
    ) throws -> [Person] {
        let request = NSFetchRequest<Person>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        if let format { request.predicate = NSPredicate(format: format) }
        adjust(request)
        return try fetch(request)
    }

    func child() -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = self
        return child
    }

    func on<T>(_ body: () throws -> T) throws -> T {
        try performAndWait { () throws(any Error) -> T in try body() }
    }

    func saveError() -> NSError? {
        do {
            try save()
            return nil
        } catch {
            return error as NSError
        }
    }
}
