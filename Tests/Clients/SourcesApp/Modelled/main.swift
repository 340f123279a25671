import CoreData

var failures = 0
var count = 0

func expect<T: Equatable>(_ name: String, _ value: T, _ wanted: T) {
    count += 1
    if value == wanted { return }
    failures += 1
    print("\(name): \(value), not \(wanted)")
}

let container = NSPersistentContainer(name: "Garden")
container.persistentStoreDescriptions[0].url = URL(fileURLWithPath: "/dev/null")
container.loadPersistentStores { _, error in
    if let error = error as NSError? {
        fatalError("Unresolved error \(error), \(error.userInfo)")
    }
}
let context = container.viewContext
let bed = Bed(context: context)
expect("an override of a generated class", bed.made?.timeIntervalSinceReferenceDate, 7)
bed.name = "rose"
let shelf = bed.value(forKey: #keyPath(Bed.shelf)) as? String
expect("a property of its extension by name", shelf, "r")
let plant = Plant(context: context)
expect("a second class's", plant.name, "seed")
expect("its description", plant.description, "seed of 0")
let tree = Tree(context: context)
expect("a class below a generated one", tree.name, "seedling")
expect("its key path", #keyPath(Tree.bed.name), "bed.name")
bed.addToPlants(NSSet(array: [plant, tree] as [Plant]))
expect("its accessors", tree.bed, bed)
plant.height = -1
do {
    try context.save()
    expect("a refused save", true, false)
} catch let error as NSError {
    expect("an override that throws", error.code, 3)
    expect("its key", error.userInfo[NSValidationKeyErrorKey] as? String, "height")
}
plant.height = 1
plant.name = "weed"
do {
    try context.save()
    expect("a refused name", true, false)
} catch let error as NSError {
    expect("a validation method in an extension", error.code, 4)
}
plant.name = "rose"
try context.save()
expect("a save", try context.count(for: Plant.fetchRequest()), 2)
expect("a class's name for Objective-C", Tree.objectiveC, "Tree")
expect("a class's without one", Oak.objectiveC, "SourcesAppModel.Oak")
expect("the name by description", Tree.description() + type(of: plant).description(), "TreePlant")

print("\(count) expectations, \(failures) failed")
exit(failures == 0 ? 0 : 1)
