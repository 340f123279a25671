import CoreData

/// The app's container, and a count of the saves of background contexts.
final class CoreDataStack: NSObject {
    static let shared = CoreDataStack()

    let container: NSPersistentContainer
    private(set) var backgroundSaves = 0

    init(inMemory: Bool = false) {
        container = NSPersistentContainer(name: "ReadingList")
        if inMemory {
            container.persistentStoreDescriptions.first!.url = URL(fileURLWithPath: "/dev/null")
        }
        container.loadPersistentStores { description, error in
            if let error = error as NSError? {
                fatalError("Unresolved error \(error), \(error.userInfo)")
            }
        }
        container.viewContext.automaticallyMergesChangesFromParent = true
        container.viewContext.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
        super.init()
        NotificationCenter.default.addObserver(
            self, selector: #selector(contextDidSave(_:)),
            name: .NSManagedObjectContextDidSave, object: nil)
    }

    deinit {
        NotificationCenter.default.removeObserver(self)
    }

    @objc private func contextDidSave(_ notification: Notification) {
        guard let context = notification.object as? NSManagedObjectContext,
            context.persistentStoreCoordinator === container.persistentStoreCoordinator,
            context !== container.viewContext
        else { return }
        backgroundSaves += 1
    }
}
