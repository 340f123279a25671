import CoreDataModel
import CoreDataStore
import Foundation

/// A whole stack: a model, a coordinator with its stores, and a context for the main queue.
open class NSPersistentContainer: NSObject {
    private let containerName: String
    // Only initialisers set `coordinator` and `mainContext`.
    private final var coordinator: NSPersistentStoreCoordinator
    private final var mainContext: NSManagedObjectContext
    private final let lock = NSLock()
    /// The store descriptions; nil until the getter creates the default description or the setter
    /// replaces it. The lock guards them, because the getter also writes them.
    private final var descriptions: [NSPersistentStoreDescription]?
    /// The stores to load; initially one SQLite store named after the container.
    ///
    /// The getter creates this description and its folder when it is first called, so a program
    /// that sets other descriptions creates no unused folder.
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

    /// Creates a stack around a coordinator that already has its stores.
    ///
    /// The initialiser is not a designated one, because subclasses of a class with a hidden
    /// designated initialiser inherit none of its other initialisers. The temporary stack that
    /// `init(name:managedObjectModel:)` creates is not registered in a confinement scope.
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

    /// Creates a stack around the model with the given name in the program's resources: a compiled
    /// model or the `.xcdatamodeld` that it is compiled from.
    ///
    /// If no such model exists or it cannot be read, the log says why, as in Core Data, and loading
    /// the stores fails with the same error.
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
        // Reads only this variable, because a dictionary of all environment variables would cost as
        // much as opening a connection.
        let base =
            getenv("XDG_DATA_HOME").map { String(cString: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.path + "/.local/share"
        let folder = "\(base)/\(ProcessInfo.processInfo.processName)/Application Support"
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        // The folder usually exists, and this check costs a fraction of creating it. If the folder
        // cannot be created, opening the store reports why.
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
    /// The context for the main queue: it does not merge automatically and has the error merge
    /// policy.
    open var viewContext: NSManagedObjectContext { mainContext }

    /// Opens the described stores; the block is called once for each description, also on failure.
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
// list of descriptions; descriptions are changed during set-up, before the stack is shared, as Core
// Data documents.
extension NSPersistentContainer: @unchecked Sendable {}
