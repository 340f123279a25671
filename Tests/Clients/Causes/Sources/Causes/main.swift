import CoreData
import Foundation
import Rival
import Shop

var failures = 0
func check(_ condition: Bool, _ name: String, line: Int = #line) {
    if condition { return }
    failures += 1
    FileHandle.standardError.write(Data("line \(line): \(name)\n".utf8))
}

subclasses()

// A results controller that is used off the queue is served like a fetch (D-049).
do {
    let context = container().newBackgroundContext()
    let request = NSFetchRequest<Foo>(entityName: "Foo")
    request.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
    let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
    do { try controller.performFetch() } catch { check(false, "performFetch: \(error)") }
    check(controller.fetchedObjects?.isEmpty == true, "a results controller off the queue")
}

// A uniqueness constraint without members has no effect.
_ = container(model { $0.uniquenessConstraints = [[]] })

// A batch that a child executes has the author of its parent.
do {
    let container = container {
        $0.setOption([:] as NSDictionary, forKey: NSPersistentHistoryTrackingKey)
    }
    let parent = container.newBackgroundContext()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    parent.performAndWait { parent.transactionAuthor = "me" }
    try child.performAndWait {
        _ = try child.execute(NSBatchInsertRequest(entityName: "Foo", objects: [["n": 1]]))
    }
    try parent.performAndWait {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(
            after: nil as NSPersistentHistoryToken?)
        let result = try parent.execute(request) as? NSPersistentHistoryResult
        let found = result?.result as? [NSPersistentHistoryTransaction]
        check(found?.map(\.author) == ["me"], "the author of a batch in a child")
    }
}

// Entities of equal models are equal.
do {
    let containers = [container(), container()]
    for container in containers {
        let object = Foo(context: container.viewContext)
        check(object.entity == Foo.entity(), "an entity of an equal model")
    }
    let other = model { $0.properties[0].isOptional = false }.entities[0]
    check(other != containers[0].managedObjectModel.entities[0], "an entity of another model")
    check(Set(containers.flatMap(\.managedObjectModel.entities)).count == 1, "hashes of entities")
}

// Predicates read @objc properties of plain classes.
do {
    let crate = Crate("a")
    check(NSPredicate(format: "name == %@", "a").evaluate(with: Item("a")), "a plain object")
    check(NSPredicate(format: "weight > 2 AND name == 'a'").evaluate(with: crate), "a subclass")
    check(NSPredicate(format: "count == nil").evaluate(with: crate), "a missing value")
    let sorted = ([Item("b"), crate] as NSArray).sortedArray(using: [
        NSSortDescriptor(key: "name", ascending: true)
    ])
    check((sorted.first as? Item)?.name == "a", "sorting plain objects")
}

// D-096: an object that is saved and inserted again is unchanged.
do {
    let context = container().viewContext
    let object = Foo(context: context)
    try context.save()
    context.insert(object)
    check(!object.isInserted && !context.hasChanges, "an object that is inserted again")
    try context.save()
    let count = try context.count(for: NSFetchRequest<Foo>(entityName: "Foo"))
    check(count == 1, "an object that is inserted again has one row")
}

// A version is read like its model, with the hashes in VersionInfo.plist.
do {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())/X.momd")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let compiled = LookUps.versions.first.flatMap { try? Data(contentsOf: $0) }
    try (compiled ?? Data()).write(to: folder.appendingPathComponent("One.mom"))
    let hashes = ["Car": Data(repeating: 1, count: 32), "Garage": Data(repeating: 2, count: 32)]
    let info: [String: Any] = [
        "NSManagedObjectModel_CurrentVersionName": "One",
        "NSManagedObjectModel_VersionHashes": ["One": hashes],
    ]
    try PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0)
        .write(to: folder.appendingPathComponent("VersionInfo.plist"))
    let metadata = [NSStoreModelVersionHashesKey: hashes]
    for url in [folder, folder.appendingPathComponent("One.mom")] {
        let model = NSManagedObjectModel(contentsOf: url)
        let isCompatible = model?.isConfiguration(
            withName: nil, compatibleWithStoreMetadata: metadata)
        check(isCompatible == true, "a version of a store of Apple's: \(url.lastPathComponent)")
    }
    let mapping = NSMappingModel(
        from: nil, forSourceModel: NSManagedObjectModel(), destinationModel: NSManagedObjectModel())
    check(mapping == nil, "a mapping model that does not exist")
}

// Names of classes.
do {
    check(NSStringFromClass(Foo.Inner.self) == "Causes.Foo.Inner", "the name of a nested class")
    class Local {}
    check(NSStringFromClass(Local.self).hasSuffix("Local"), "the name of a local class")
    useRival()
    let model = NSManagedObjectModel()
    let car = NSEntityDescription()
    car.name = "Car"
    car.managedObjectClassName = "Car"
    let inner = NSEntityDescription()
    inner.name = "Inner"
    inner.managedObjectClassName = NSStringFromClass(Foo.Inner.self)
    let (first, second) = (NSEntityDescription(), NSEntityDescription())
    for (entity, name) in [(first, "First"), (second, "Second")] {
        entity.name = name
        entity.managedObjectClassName = NSStringFromClass(Foo.self)
    }
    model.entities = [car, inner, first, second]
    let context = container(model).viewContext
    let made = NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
    check(made is Shop.Car, "@objc(Car) wins over a Swift class Car: \(type(of: made))")
    let nested = NSEntityDescription.insertNewObject(forEntityName: "Inner", into: context)
    check(nested is Foo.Inner, "a nested class")
    check(["First", "Second", "Foo"].contains(Foo.entity().name), "a class of several entities")
}

// Ids without an object.
check(NSManagedObjectID() != NSManagedObjectID(), "ids without an object")
check(NSManagedObjectID().isTemporaryID, "an id without an object is temporary")

// A fetch without a static type.
do {
    let context = container().viewContext
    _ = Foo(context: context)
    let result = try context.fetch(NSFetchRequest<any NSFetchRequestResult>(entityName: "Foo"))
    let results: [any NSFetchRequestResult] = result
    check(results.count == 1 && results is [Foo], "a fetch without a static type")
}

// Resources of the main bundle are those of the package's targets.
check(LookUps.template?.entities.count == 2, "Bundle.main.url(forResource:withExtension:)")
check(LookUps.versions.count == 1, "Bundle.main.urls(forResourcesWithExtension:subdirectory:)")
check(LookUps.ofClass != nil && LookUps.path != nil, "Bundle.init(for:) and paths")
check(registerTransformer(), "Foundation.ValueTransformer")
let missing = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
try NSPersistentStoreCoordinator.destroy(missing)

// Sets from array literals, and ANY over a to-one relationship.
do {
    let context = container(LookUps.template ?? NSManagedObjectModel()).viewContext
    let (garage, one, two) = (
        Garage(context: context), Shop.Car(context: context), Shop.Car(context: context)
    )
    garage.name = "north"
    garage.cars = [one]
    garage.addToCars([two])
    check(garage.cars == [one, two] && one.garage == garage, "sets from array literals")
    garage.setValue([two] as NSSet, forKey: "cars")
    check(one.garage == nil, "a set of a to-many relationship")
    let request = NSFetchRequest<Shop.Car>(entityName: "Car")
    for _ in 1...2 {
        request.predicate = NSPredicate(format: "ANY garage.name == 'north'")
        check(try context.fetch(request) == [two], "ANY over a to-one relationship")
        request.predicate = NSPredicate(format: "NOT (ANY garage.name == 'north')")
        check(try context.fetch(request) == [one], "NOT ANY over a to-one relationship")
        request.predicate = NSPredicate(format: "ANY garage == %@", garage)
        check(try context.count(for: request) == 1, "ANY over a to-one relationship itself")
        try context.save()
    }
}

print(failures == 0 ? "Causes: all checks passed" : "Causes: \(failures) checks failed")
exit(failures == 0 ? 0 : 1)
