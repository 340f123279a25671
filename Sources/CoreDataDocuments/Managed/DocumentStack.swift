import CoreData
import CoreDataStore
import Foundation
import Synchronization

/// A document's contexts: one for the main queue, and its parent, which saves to the store on a
/// private queue.
final class DocumentStack: Sendable {
    let coordinator: NSPersistentStoreCoordinator
    let parent: NSManagedObjectContext
    let main: NSManagedObjectContext
    private let facts = Mutex(Facts())
    private let observer: Observer

    /// The location of the open stores.
    enum Place: Sendable {
        case nowhere
        case at(URL)
        /// The stores are complete, but their folder has not been moved to the document's location.
        case unplaced(DocumentDraft)
    }

    private struct Facts {
        var place = Place.nowhere
    }

    init(model: NSManagedObjectModel) {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        parent.name = "document store"
        parent.persistentStoreCoordinator = coordinator
        // Each object holds the row version that was read, and a save compares it with the row. So
        // the parent keeps all objects. If it released one and read it again, a save could
        // overwrite a change that another document has saved since.
        parent.retainsRegisteredObjects = true
        main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.name = "document"
        main.parent = parent
        observer = Observer(parent)
    }

    var place: Place {
        get { facts.withLock { $0.place } }
        set { facts.withLock { $0.place = newValue } }
    }

    /// Whether the parent has unsaved changes. Can be read on any queue.
    var isUnsaved: Bool {
        if case .unplaced = place { return true }
        return observer.hasChanges
    }

    // MARK: On the document's own queue

    func onParent<T>(_ body: () throws -> T) throws -> T { try parent.performAndWait(body) }

    /// Saves the parent. Its children must have saved before.
    func save() throws {
        defer { observer.look(parent) }
        if parent.hasChanges { try parent.save() }
    }

    func close() throws {
        try onParent {
            parent.reset()
            observer.look(parent)
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            place = .nowhere
        }
    }

    func dropStores() {
        // The stores were just added, so no object refers to them.
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        place = .nowhere
    }

    /// Moves the stores of a folder to another folder in one step. The coordinator then uses the
    /// stores at the new location.
    ///
    /// - Parameter moving: moves the content of the first folder to the second.
    func relocate(from old: URL, to new: URL, moving: () throws -> Void) throws {
        try relocate(coordinator.persistentStores[...], old, new, moving)
    }

    private func relocate(
        _ stores: ArraySlice<NSPersistentStore>, _ old: URL, _ new: URL, _ moving: () throws -> Void
    ) throws {
        guard let store = stores.first else { return try moving() }
        let rest = stores.dropFirst()
        guard let url = Self.moved(store.url, old, new) else {
            return try relocate(rest, old, new, moving)
        }
        try coordinator.relocate(store, to: url) { try relocate(rest, old, new, moving) }
    }

    /// The location of a store after its folder has moved; nil for a store outside of the folder.
    static func moved(_ url: URL?, _ old: URL, _ new: URL) -> URL? {
        let folder = old.standardizedFileURL.path + "/"
        guard let path = url?.standardizedFileURL.path, path.hasPrefix(folder) else { return nil }
        return new.appendingPathComponent(String(path.dropFirst(folder.count)))
    }

    func copyStores(from old: URL, to new: URL) throws {
        let copier = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        for store in coordinator.persistentStores {
            guard let source = store.url, let url = Self.moved(source, old, new) else { continue }
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try copier.replacePersistentStore(
                at: url, withPersistentStoreFrom: source, ofType: store.type)
        }
    }
}

/// Records whether a context has changes, for reading on any queue.
private final class Observer: Sendable {
    private let flag: Flag
    private let subscription: Subscription

    private final class Flag: Sendable {
        let hasChanges = Atomic(false)
    }

    // `@unchecked Sendable` because the token is created once and passed back once.
    private struct Subscription: @unchecked Sendable {
        let token: any NSObjectProtocol
    }

    init(_ context: NSManagedObjectContext) {
        let flag = Flag()
        self.flag = flag
        subscription = Subscription(
            token: NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { notification in
                // The notification is posted on the context's queue.
                guard let context = notification.object as? NSManagedObjectContext else { return }
                flag.hasChanges.store(context.hasChanges, ordering: .relaxed)
            })
    }

    deinit { NotificationCenter.default.removeObserver(subscription.token) }

    var hasChanges: Bool { flag.hasChanges.load(ordering: .relaxed) }

    func look(_ context: NSManagedObjectContext) {
        flag.hasChanges.store(context.hasChanges, ordering: .relaxed)
    }
}
