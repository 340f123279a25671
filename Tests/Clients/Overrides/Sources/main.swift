import CoreData

func check(_ isTrue: Bool, _ what: String) {
    guard !isTrue else { return }
    print("failed: \(what)")
    exit(1)
}

func makeModel() -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = "Noted"
    entity.managedObjectClassName = NSStringFromClass(NotedObject.self)
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

func useObjects(_ context: NotedContext, _ store: NSPersistentStore) throws {
    let one = NotedObject(context: context)
    one.setValue("a", forKey: "title")
    check(one.value(forKeyPath: "title") as? String == "a", "a path reads a value")
    one.willChangeValue(forKey: "title")
    one.setPrimitiveValue("b", forKey: "title")
    one.didChangeValue(forKey: "title")
    one.willAccessValue(forKey: "title")
    check(one.primitiveValue(forKey: "title") as? String == "b", "a primitive value is read")
    one.didAccessValue(forKey: "title")
    one.mutableSetValue(forKey: "others").add(one)
    check(!one.hasFault(forRelationshipNamed: "others"), "a new object's relationship is there")
    check(one.objectIDs(forRelationshipNamed: "others").count == 1, "ids of a relationship")
    check(one.changedValues().count == 2 && one.hasPersistentChangedValues, "changed values")
    _ = one.changedValuesForCurrentEvent()
    var value: Any? = "c"
    try one.validateValue(&value, forKey: "title")
    context.assign(one, to: store)
    try context.obtainPermanentIDs(for: [one])
    try context.save()
    check(one.committedValues(forKeys: ["title"])["title"] as? String == "b", "saved values")
    check(one.description.hasPrefix("noted: <NotedObject: 0x"), "a description of one's own")
    check(one.description.contains("title = \"b\";"), "a description shows values")
    one.setValue("d", forKey: "title")
    context.detectConflicts(for: one)
    context.refresh(one, mergeChanges: true)
    try context.save()
    context.refreshAllObjects()
    check(one.description.contains("data: <fault>") && one.isFault, "printing fires nothing")
    let predicate = NSPredicate(format: "title == 'd'")
    check(predicate.evaluate(with: one), "a predicate asks the object")
    context.delete(one)
    check(context.deletedObjects.count == 1, "deleted objects")
    try context.save()
    let expected = [
        "awakeFromInsert()", "setValue(_:forKey:)", "value(forKey:)", "willChangeValue(forKey:)",
        "setPrimitiveValue(_:forKey:)", "didChangeValue(forKey:)", "willAccessValue(forKey:)",
        "primitiveValue(forKey:)", "didAccessValue(forKey:)", "mutableSetValue(forKey:)",
        "hasFault(forRelationshipNamed:)", "objectIDs(forRelationshipNamed:)", "changedValues()",
        "hasPersistentChangedValues", "changedValuesForCurrentEvent()",
        "validateValue(_:forKey:)", "validateForInsert()", "willSave()", "didSave()",
        "committedValues(forKeys:)", "validateForUpdate()", "awakeFromFetch()",
        "prepareForDeletion()", "validateForDelete()",
    ]
    for call in expected { check(one.calls.contains(call), "\(call) of an object is overridden") }
}

func useContext(_ context: NotedContext) throws {
    let two = NotedObject(context: context)
    check(context.hasChanges && context.insertedObjects.count == 1, "inserted objects")
    check(context.updatedObjects.isEmpty && context.registeredObjects.count == 1, "no others")
    try context.save()
    let typed = NSFetchRequest<NotedObject>(entityName: "Noted")
    check(try context.fetch(typed) == [two], "a typed fetch asks the one that is overridden")
    check(try context.count(for: typed) == 1, "a typed count asks the one that is overridden")
    check(context.object(with: two.objectID) === two, "an object by its id")
    check(context.registeredObject(for: two.objectID) === two, "a registered object")
    check(try context.existingObject(with: two.objectID) === two, "an existing object")
    context.undoManager = UndoManager()
    two.setValue("x", forKey: "title")
    context.processPendingChanges()
    context.undo()
    context.redo()
    context.rollback()
    try context.setQueryGenerationFrom(nil)
    check(context.queryGenerationToken == nil, "no generation")
    context.mergeChanges(fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave))
    let update = NSBatchUpdateRequest(entityName: "Noted")
    update.propertiesToUpdate = ["title": "y"]
    _ = try context.execute(update)
    context.performAndWait { context.reset() }
    let loose = NotedObject(
        entity: NSEntityDescription.entity(forEntityName: "Noted", in: context)!, insertInto: nil)
    context.insert(loose)
    context.reset()
    context.userInfo["key"] = "value"
    check(context.concurrencyType == .privateQueueConcurrencyType, "a context's kind of queue")
    let expected = [
        "name", "userInfo", "persistentStoreCoordinator",
        "mergePolicy", "undoManager", "hasChanges",
        "insertedObjects", "updatedObjects", "deletedObjects", "registeredObjects",
        "queryGenerationToken", "performAndWait(_:)", "fetch(_:)", "count(for:)", "execute(_:)",
        "save()", "processPendingChanges()", "insert(_:)", "delete(_:)", "object(with:)",
        "registeredObject(for:)", "existingObject(with:)", "obtainPermanentIDs(for:)",
        "assign(_:to:)", "detectConflicts(for:)", "refresh(_:mergeChanges:)",
        "refreshAllObjects()", "mergeChanges(fromContextDidSave:)", "setQueryGenerationFrom(_:)",
        "undo()", "redo()", "rollback()", "reset()",
    ]
    for call in expected {
        check(context.calls.contains(call), "\(call) of a context is overridden")
    }
}

let model = makeModel()
let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("overrides-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let coordinator = NotedCoordinator(managedObjectModel: model)
let file = folder.appendingPathComponent("store.sqlite")
let store = try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: nil, at: file)
check(coordinator.persistentStore(for: coordinator.url(for: store)) === store, "a store by URL")
coordinator.setMetadata(["k": "v"], for: store)
check(coordinator.metadata(for: store)["k"] as? String == "v", "metadata")

let context = NotedContext(concurrencyType: .privateQueueConcurrencyType)
context.persistentStoreCoordinator = coordinator
context.name = "noted"
context.mergePolicy = NSErrorMergePolicy
var failure: (any Error)?
context.performAndWait {
    do {
        try useObjects(context, store)
        try useContext(context)
        try useOpened(context)
    } catch { failure = error }
}
check(failure == nil, "\(String(describing: failure))")

// Test doubles.
let failing = FailingContext(concurrencyType: .privateQueueConcurrencyType)
failing.persistentStoreCoordinator = coordinator
failing.performAndWait {
    do {
        try failing.save()
        check(false, "a save that fails")
    } catch { check(error is FailingContext.Failure, "the double's own error") }
}
let canned = CannedContext(concurrencyType: .privateQueueConcurrencyType)
canned.persistentStoreCoordinator = coordinator
canned.performAndWait {
    let object = NotedObject(context: canned)
    canned.canned = [object]
    let found = try? canned.fetch(NSFetchRequest<NotedObject>(entityName: "Noted"))
    check(found == [object], "a double's objects are fetched")
    canned.canned = ["no object"]
    let wrong = try? canned.fetch(NSFetchRequest<NotedObject>(entityName: "Noted"))
    check(wrong == nil, "what is of another type is an error")
}

let container = NotedContainer(name: "Overrides", managedObjectModel: model)
check(container.newBackgroundContext().name == "background", "a container's own contexts")
check(container.name == "noted Overrides", "a container's own name")
check(container.viewContext.name == "view", "a container's own view context")
check(container.managedObjectModel === model, "a container's own model")
check(container.persistentStoreCoordinator.name == "noted", "a container's own coordinator")
check(
    container.newBackgroundContext().persistentStoreCoordinator?.name == "noted",
    "contexts of a container's own coordinator")
let directory = NotedContainer.defaultDirectoryURL().path
check(
    container.persistentStoreDescriptions.first?.url?.path.hasPrefix(directory) == true,
    "a container's own directory")
let request = NSFetchRequest<NotedObject>(entityName: "Noted")
request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
context.performAndWait {
    let controller = NotedController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
    try? controller.performFetch()
    check(controller.fetches == 1, "a controller's own fetch")
}
try useEvery(in: folder)
try coordinator.remove(store)
let expected = [
    "addPersistentStore(ofType:configurationName:at:options:)", "persistentStore(for:)",
    "url(for:)", "setMetadata(_:for:)", "metadata(for:)", "remove(_:)",
]
for call in expected {
    check(coordinator.calls.contains(call), "\(call) of a coordinator is overridden")
}
try inherit(model)
print("every override is called")
