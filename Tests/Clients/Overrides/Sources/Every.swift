import CoreData

/// The calls that overrides have recorded, by file and member.
///
/// `@unchecked Sendable` because a lock guards the calls.
final class Calls: @unchecked Sendable {
    static let shared = Calls()
    private let lock = NSLock()
    private var noted: Set<String> = []

    func note(_ call: String) { lock.withLock { _ = noted.insert(call) } }
    func contains(_ file: String, _ member: String) -> Bool {
        lock.withLock { noted.contains { $0.contains("/\(file).swift") && $0.hasSuffix(member) } }
    }
    var count: Int { lock.withLock { noted.count } }
}

func note(_ file: String = #fileID, _ member: String = #function) {
    Calls.shared.note("/\(file) \(member)")
}

private func makeEveryModel() -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = "Every"
    entity.managedObjectClassName = NSStringFromClass(EveryObject.self)
    let title = NSAttributeDescription()
    title.name = "title"
    title.attributeType = .stringAttributeType
    title.isOptional = true
    let others = NSRelationshipDescription()
    others.name = "others"
    others.destinationEntity = entity
    others.inverseRelationship = others
    entity.properties = [title, others]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
}

/// Creates a context and a coordinator that override every open member. The coordinator has one
/// store.
private func makeEveryContext(_ type: String, _ url: URL) throws -> EveryContext {
    let coordinator = EveryCoordinator(managedObjectModel: makeEveryModel())
    let store = try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: url, options: nil)
    check(coordinator.persistentStores == [store], "\(type): the store is there")
    let context = EveryContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.mergePolicy = NSErrorMergePolicy
    context.undoManager = UndoManager()
    return context
}

/// Each step must have the same effect as without overrides.
private func live(_ context: EveryContext, _ type: String) throws {
    let first = EveryObject(context: context)
    first.setValue("a", forKey: "title")
    let second = EveryObject(context: context)
    second.setValuesForKeys(["title": "b"])
    try context.save()
    check(!first.objectID.isTemporaryID && !context.hasChanges, "\(type): saved")
    let request = NSFetchRequest<EveryObject>(entityName: "Every")
    check(try context.count(for: request) == 2, "\(type): two objects")
    context.reset()
    let found = try context.fetch(request).sorted { $0.title < $1.title }
    check(found.map(\.title) == ["a", "b"], "\(type): both are read again")
    found[0].setValue("c", forKey: "title")
    context.processPendingChanges()
    context.undo()
    check(found[0].title == "a", "\(type): undone")
    context.redo()
    check(found[0].title == "c", "\(type): done again")
    context.rollback()
    check(found[0].title == "a" && !found[0].hasChanges, "\(type): rolled back")
    context.delete(found[1])
    try context.save()
    check(try context.fetch(request) == [found[0]], "\(type): one is left")
    context.refreshAllObjects()
    check(found[0].isFault && found[0].title == "a", "\(type): read once more")
    let child = EveryContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try child.performAndWait { () throws in
        let object = try child.existingObject(with: found[0].objectID)
        object.setValue("d", forKey: "title")
        try child.save()
    }
    check(found[0].title == "d", "\(type): the child's change")
    try context.save()
}

extension EveryObject {
    var title: String { value(forKey: "title") as? String ?? "" }
}

// D-065: the members that these classes do not override are not open.

func useEvery(in folder: URL) throws {
    NSPersistentStoreCoordinator.registerStoreClass(
        EveryIncrementalStore.self, forStoreType: "rows")
    NSPersistentStoreCoordinator.registerStoreClass(EveryAtomicStore.self, forStoreType: "piece")
    for type in [NSSQLiteStoreType, NSInMemoryStoreType, "rows", "piece"] {
        let context = try makeEveryContext(
            type, folder.appendingPathComponent("every-\(type)"))
        try context.performAndWait { () throws in try live(context, type) }
    }
    let container = EveryContainer(name: "Every", managedObjectModel: makeEveryModel())
    container.persistentStoreDescriptions[0].url = folder.appendingPathComponent("every")
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    check(failure == nil, "a container loads: \(String(describing: failure))")
    let context = container.newBackgroundContext()
    try context.performAndWait { () throws in
        let request = NSFetchRequest<EveryObject>(entityName: "Every")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = EveryController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "title",
            cacheName: nil)
        for title in ["x", "y"] {
            EveryObject(context: context).setValue(title, forKey: "title")
        }
        try context.save()
        try controller.performFetch()
        check(controller.sections?.map(\.name) == ["x", "y"], "a controller's sections")
        check(
            controller.object(at: IndexPath(item: 0, section: 1)).title == "y", "by its place")
    }
    check(EveryObject.fetchRequest().entityName == "Every", "a class's own request")
    check(EveryObject.entity().name == "Every", "a class's own entity")
    for (file, member) in [
        ("EveryContext", "save()"), ("EveryObject", "willSave()"), ("EveryObject", "entity()"),
        ("EveryObject", "hasChanges"), ("EveryCoordinator", "persistentStores"),
        ("EveryStore", "obtainPermanentIDs(for:)"), ("EveryStore", "newCacheNode(for:)"),
        ("EveryStore", "loadMetadata()"), ("EveryContainer", "performFetch()"),
        ("EveryContainer", "newBackgroundContext()"),
    ] { check(Calls.shared.contains(file, member), "\(member) of \(file) is called") }
    print("\(Calls.shared.count) of the overrides were called")
}
