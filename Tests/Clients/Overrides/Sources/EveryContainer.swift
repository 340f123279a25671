import CoreData

// These classes override every open member. Each override records the call and calls super.

/// `@unchecked Sendable` because it adds no state.
final class EveryContainer: NSPersistentContainer, @unchecked Sendable {
    override var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get {
            note()
            return super.persistentStoreDescriptions
        }
        set {
            note()
            super.persistentStoreDescriptions = newValue
        }
    }
    override class func defaultDirectoryURL() -> URL {
        note()
        return super.defaultDirectoryURL()
    }
    override var name: String {
        note()
        return super.name
    }
    override var managedObjectModel: NSManagedObjectModel {
        note()
        return super.managedObjectModel
    }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator {
        note()
        return super.persistentStoreCoordinator
    }
    override var viewContext: NSManagedObjectContext {
        note()
        return super.viewContext
    }
    override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        note()
        super.loadPersistentStores(completionHandler: block)
    }
    override func newBackgroundContext() -> NSManagedObjectContext {
        note()
        return super.newBackgroundContext()
    }
    override func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        note()
        super.performBackgroundTask(block)
    }
}

final class EveryController<ResultType>: NSFetchedResultsController<ResultType> {
    override class func deleteCache(withName name: String?) {
        note()
        super.deleteCache(withName: name)
    }
    override var fetchRequest: NSFetchRequest<ResultType> {
        note()
        return super.fetchRequest
    }
    override var managedObjectContext: NSManagedObjectContext {
        note()
        return super.managedObjectContext
    }
    override var sectionNameKeyPath: String? {
        note()
        return super.sectionNameKeyPath
    }
    override var cacheName: String? {
        note()
        return super.cacheName
    }
    override var delegate: (any NSFetchedResultsControllerDelegate)? {
        get {
            note()
            return super.delegate
        }
        set {
            note()
            super.delegate = newValue
        }
    }
    override func performFetch() throws {
        note()
        try super.performFetch()
    }
    override var fetchedObjects: [ResultType]? {
        note()
        return super.fetchedObjects
    }
    override var sections: [any NSFetchedResultsSectionInfo]? {
        note()
        return super.sections
    }
    override func object(at indexPath: IndexPath) -> ResultType {
        note()
        return super.object(at: indexPath)
    }
    override func indexPath(forObject object: ResultType) -> IndexPath? {
        note()
        return super.indexPath(forObject: object)
    }
    override func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        note()
        return super.sectionIndexTitle(forSectionName: sectionName)
    }
    override var sectionIndexTitles: [String] {
        note()
        return super.sectionIndexTitles
    }
    override func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        note()
        return super.section(forSectionIndexTitle: title, at: sectionIndex)
    }
    override func isEqual(_ object: Any?) -> Bool {
        note()
        return super.isEqual(object)
    }
    override var hash: Int {
        note()
        return super.hash
    }
}
