import CoreDataModel
import CoreDataStore
import Foundation

/// A whole stack: a model, a coordinator with its stores, and a context for the main queue.
open class NSPersistentContainer: NSObject {
    private let containerName: String
    private let coordinator: NSPersistentStoreCoordinator
    private let mainContext: NSManagedObjectContext
    private final let lock = NSLock()
    /// Nil until the default is asked for or other ones are set; guarded by the lock, because
    /// asking for it may make it.
    private final var descriptions: [NSPersistentStoreDescription]?
    /// The stores to load; one SQLite store named after the container at first.
    ///
    /// That one is made when it is first read, and its folder with it: a program that places its
    /// stores elsewhere gets no folder that it does not use.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get {
            if let known = lock.withLock({ descriptions }) { return known }
            let made = [defaultDescription]
            return lock.withLock {
                let known = descriptions ?? made
                descriptions = known
                return known
            }
        }
        set { lock.withLock { descriptions = newValue } }
    }

    /// Creates a stack around a model; stores are opened by `loadPersistentStores`.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        containerName = name
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        mainContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        super.init()
        mainContext.persistentStoreCoordinator = coordinator
    }

    /// Creates a stack around a coordinator that has its stores already.
    package init(name: String, coordinator: NSPersistentStoreCoordinator) {
        containerName = name
        self.coordinator = coordinator
        mainContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        descriptions = []
        super.init()
        mainContext.persistentStoreCoordinator = coordinator
    }

    /// Creates a stack around the model of that name among the program's resources: a compiled
    /// model or the `.xcdatamodeld` that one is made from.
    ///
    /// Where there is none, or it cannot be read, the log says why, as Core Data does, and loading
    /// stores fails with the reason.
    public convenience init(name: String) {
        let model: NSManagedObjectModel
        do throws(ModelError) { model = try NSManagedObjectModel.load(named: name) } catch {
            model = NSManagedObjectModel()
            model.loadFailure = error
        }
        self.init(name: name, managedObjectModel: model)
    }

    /// The folder for stores that are not placed elsewhere: `Application Support` in a folder of
    /// the program below `$XDG_DATA_HOME` or `~/.local/share`. It is made if needed.
    open class func defaultDirectoryURL() -> URL {
        // One variable: a dictionary of all would cost as much as opening a connection.
        let base =
            getenv("XDG_DATA_HOME").map { String(cString: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.path + "/.local/share"
        let folder = "\(base)/\(ProcessInfo.processInfo.processName)/Application Support"
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        // Most often it is there, and a look costs a fraction. Opening the store reports what went
        // wrong here.
        if access(folder, F_OK) == 0 { return url }
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    private final var defaultDescription: NSPersistentStoreDescription {
        let folder = type(of: self).defaultDirectoryURL()
        return NSPersistentStoreDescription(
            url: folder.appendingPathComponent("\(containerName).sqlite"))
    }

    /// The container's name.
    open var name: String { containerName }
    /// The model.
    open var managedObjectModel: NSManagedObjectModel {
        persistentStoreCoordinator.managedObjectModel
    }
    /// The coordinator.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator { coordinator }
    /// The context for the main queue: no automatic merging, the error policy.
    open var viewContext: NSManagedObjectContext { mainContext }

    /// Opens the described stores; the block is called once for each, also on failure.
    ///
    /// Synchronous unless a description asks to be added asynchronously.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            persistentStoreCoordinator.addPersistentStore(
                with: description, completionHandler: block)
        }
    }

    /// A new private-queue context of the coordinator.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs the block on a new private-queue context, some time later.
    open func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs the block on a new private-queue context and waits for it without blocking a thread.
    public nonisolated(nonsending) final func performBackgroundTask<T, E: Error>(
        _ block: @escaping (NSManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T {
        let context = newBackgroundContext()
        return try await context.perform(schedule: .enqueued) { () throws(E) in try block(context) }
    }
}

/// Gives containers ``defaultDirectoryURL`` as a property beside the method of the same name.
///
/// Swift takes both in one class for one declaration twice, but not where one of them is a
/// protocol's.
public protocol DefaultDirectoryNaming {}

extension DefaultDirectoryNaming where Self: NSPersistentContainer {
    /// What the method `defaultDirectoryURL()` of the class gives.
    public static var defaultDirectoryURL: URL { Self.defaultDirectoryURL() }
}

extension NSPersistentContainer: DefaultDirectoryNaming {}

// `@unchecked Sendable` because the stack's parts are Sendable and fixed, and a lock guards the
// list of descriptions; they are changed while the stack is set up, before it is shared, as Core
// Data documents.
extension NSPersistentContainer: @unchecked Sendable {}
