import CoreData

actor Importer {
    private let container: NSManagedObjectContext
    private var names: [String] = []
    init(_ context: NSManagedObjectContext) { container = context }
    @discardableResult func add(_ name: String) async throws -> Int {
        names.append(name)
        let context = container
        try await context.perform {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(name, forKey: #keyPath(Note.text))
            try context.save()
        }
        return names.count
    }
    nonisolated var path: String { #keyPath(Note.text) }
}

@MainActor final class Screen: NSObject {
    @objc dynamic private(set) var title = ""
    var told = 0
    func watch() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(changed(_:)), name: .init("screen"), object: nil)
    }
    @objc func changed(_ notification: Notification) { told += 1 }
    @objc nonisolated func away() -> String { #keyPath(Screen.title) }
    let block: @Sendable @MainActor (String) -> String = { $0 + #keyPath(Screen.title) }
}

func count(in context: NSManagedObjectContext) async throws -> Int {
    try await context.perform(schedule: .enqueued) {
        try autoreleasepool { try context.count(for: NSFetchRequest<Note>(entityName: "Note")) }
    }
}

@MainActor func checkConcurrency() async throws {
    let model = NSManagedObjectModel()
    model.entities = [entity("Note", [attribute("text", .stringAttributeType)])]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let importer = Importer(context)
    expect("an actor", try await importer.add("a"), 1)
    async let second = importer.add("b")
    expect("async let", try await second, 2)
    expect("a fetch in perform", try await count(in: context), 2)
    expect("a key path in an actor", importer.path, "text")
    let screen = Screen()
    screen.watch()
    NotificationCenter.default.post(name: .init("screen"), object: nil)
    expect("an observer on the main actor", screen.told, 1)
    expect("a nonisolated method", screen.away(), "title")
    expect("a @Sendable closure", screen.block("the "), "the title")
    await checkAsynchronousOverrides()
}
