import CoreDataModel
import CoreDataStore
import Foundation

/// A Core Data stack: a model, a coordinator with its stores, and a context for the main queue.
open class NSPersistentContainer: NSObject {
    private let containerName: String
    // Only initialisers set `coordinator` and `mainContext`.
    private final var coordinator: NSPersistentStoreCoordinator
    private final var mainContext: NSManagedObjectContext
    private final let lock = NSLock()
    /// The store descriptions; nil until they are first read or set. Guarded by the lock, because
    /// the getter also writes them.
    private final var descriptions: [NSPersistentStoreDescription]?
    /// The stores to load; initially one SQLite store with the name of the container.
    ///
    /// The getter creates the folder of this store when it is first called. So a program that sets
    /// other descriptions first creates no unused folder.
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

    /// Creates a container with a model. `loadPersistentStores` opens the stores.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        containerName = name
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        mainContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        super.init()
        mainContext.persistentStoreCoordinator = coordinator
    }

    /// Creates a container with a coordinator whose stores are already open.
    ///
    /// This initialiser is not a designated one: if it were, classes outside the package could not
    /// inherit the other initialisers. So it first creates a temporary stack, which is not
    /// registered in a confinement scope.
    package convenience init(name: String, coordinator: NSPersistentStoreCoordinator) {
        let scope = ConfinementScope.current
        ConfinementScope.current = nil
        self.init(name: name, managedObjectModel: coordinator.managedObjectModel)
        ConfinementScope.current = scope
        self.coordinator = coordinator
        mainContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        mainContext.persistentStoreCoordinator = coordinator
        descriptions = []
    }

    /// Creates a container with the model of the given name. This is a compiled model or an
    /// `.xcdatamodeld` in the program's resources.
    ///
    /// If the model does not exist or cannot be read, the log says why, as in Core Data. Loading
    /// the stores then fails with the same error.
    public convenience init(name: String) {
        let model: NSManagedObjectModel
        do throws(ModelError) { model = try NSManagedObjectModel.load(named: name) } catch {
            model = NSManagedObjectModel()
            model.loadFailure = error
        }
        self.init(name: name, managedObjectModel: model)
    }

    /// The default folder for stores: `Application Support` in the program's folder below
    /// `$XDG_DATA_HOME` or `~/.local/share`. The method creates it if needed.
    open class func defaultDirectoryURL() -> URL {
        // Reads one variable with `getenv`. A dictionary of the whole environment takes as long as
        // opening a connection.
        let base =
            getenv("XDG_DATA_HOME").map { String(cString: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.path + "/.local/share"
        let folder = "\(base)/\(ProcessInfo.processInfo.processName)/Application Support"
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        // The folder usually exists, and checking is much cheaper than creating. If it cannot be
        // created, opening the store reports the error.
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
    /// The context for the main queue. It does not merge automatically, and has the error merge
    /// policy.
    open var viewContext: NSManagedObjectContext { mainContext }

    /// Opens the described stores. The block is called once for each description, also on failure.
    ///
    /// The call is synchronous, except for descriptions with `shouldAddStoreAsynchronously`.
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

    /// Runs the block on a new private-queue context, asynchronously.
    open func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs the block on a new private-queue context and suspends until it has run.
    public nonisolated(nonsending) final func performBackgroundTask<T, E: Error>(
        _ block: @escaping (NSManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T {
        let context = newBackgroundContext()
        return try await context.perform(schedule: .enqueued) { () throws(E) in try block(context) }
    }
}

/// Adds ``defaultDirectoryURL`` as a property to containers, next to the method of the same name.
///
/// In a class, Swift rejects a method and a property with the same name as a redeclaration, unless
/// a protocol declares one of them.
public protocol DefaultDirectoryNaming {}

extension DefaultDirectoryNaming where Self: NSPersistentContainer {
    /// Returns the result of the class method `defaultDirectoryURL()`.
    public static var defaultDirectoryURL: URL { Self.defaultDirectoryURL() }
}

extension NSPersistentContainer: DefaultDirectoryNaming {}

// `@unchecked Sendable` because the stack's parts are Sendable and fixed, and a lock guards the
// list of descriptions. Descriptions are changed during set-up, before the stack is shared, as Core
// Data documents.
extension NSPersistentContainer: @unchecked Sendable {}
