import CoreDataModel
import Foundation

extension NSPersistentStoreCoordinator {
    final func replace(
        _ destination: URL, _ destinationOptions: [AnyHashable: Any]?, by source: URL,
        _ sourceOptions: [AnyHashable: Any]?, _ storeType: String
    ) throws(CoreDataError) {
        let kind = try StoreKinds.required(storeType)
        guard destination.standardizedFileURL != source.standardizedFileURL else {
            throw CoreDataError(
                .invalidArgument, "A store cannot replace itself. Name two URLs.")
        }
        noteStores("replaces the store at \(destination.path)")
        try removeStore(at: destination)
        try kind.replace(
            ClosedStore(destination, options: destinationOptions),
            by: ClosedStore(source, options: sourceOptions))
    }

    static func metadata(
        _ type: String?, _ url: URL, _ options: [AnyHashable: Any]?
    ) throws(CoreDataError) -> [String: Any] {
        if let storeClass = type.flatMap(StoreClasses.named) {
            do { return try storeClass.metadataForPersistentStore(with: url) } catch {
                throw CoreDataError(error)
            }
        }
        return try kind(type, at: url).metadata(of: ClosedStore(url, options: options))
    }

    static func setMetadata(
        _ metadata: [String: Any]?, _ type: String?, _ url: URL, _ options: [AnyHashable: Any]?
    ) throws(CoreDataError) {
        if let storeClass = type.flatMap(StoreClasses.named) {
            do { return try storeClass.setMetadata(metadata, forPersistentStoreAt: url) } catch {
                throw CoreDataError(error)
            }
        }
        let values = try PropertyListValue.sendable(metadata ?? [:])
        try kind(type, at: url).setMetadata(values, of: ClosedStore(url, options: options))
    }

    /// The kind of the stores of a type. If the type is nil, the kind of the store at the URL.
    private static func kind(_ type: String?, at url: URL) throws(CoreDataError) -> any StoreKind {
        guard let type else { return try StoreKinds.kind(at: url) }
        return try StoreKinds.required(type)
    }
}

extension NSPersistentStoreCoordinator {

    func removeStore(at url: URL) throws(CoreDataError) {
        guard let store = persistentStore(for: url) else { return }
        try removeForGood(store)
    }
}

extension NSPersistentStoreCoordinator {

    func migrate(
        _ store: NSPersistentStore, to url: URL, _ options: [AnyHashable: Any]?, _ type: String
    ) throws(CoreDataError) -> NSPersistentStore {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CoreDataError(.invalidArgument, "The store is not in this coordinator.")
        }
        let kind = try StoreKinds.required(type)
        enterWriting()
        defer { leaveWriting() }
        let request = StoreRequest(
            model: frozenModel, trace: trace, location: try kind.location(of: url),
            configuration: store.modelConfiguration, options: options)
        let backend = try kind.create(request) { made throws(CoreDataError) in
            try StoreCopy(from: store.backend, to: made, layout: frozenModel.layout)
                .run(entities: store.entityIndexes)
        }
        try takeOut(store)
        let copy = NSPersistentStore(
            backend: backend, type: kind.type, configuration: store.configurationName,
            url: url, options: options, entityIndexes: store.entityIndexes, coordinator: self)
        try register(copy)
        StoreWrites.enrol(copy)
        postChange([
            NSAddedPersistentStoresKey: [copy], NSRemovedPersistentStoresKey: [store],
            NSUUIDChangedPersistentStoresKey: [store, copy],
        ])
        return copy
    }
}

extension NSPersistentStoreCoordinator {
    /// Closes a store, lets the caller move its files, and opens it at the new location.
    ///
    /// The new file must contain the same store. Ids contain the store's UUID, and saves compare
    /// the versions of objects with its rows. Reads by other threads fail until the store is open
    /// again. If the body throws, the store is opened at its old location.
    ///
    /// - Returns: the store that replaces the old one.
    @discardableResult
    package final func relocate(
        _ store: NSPersistentStore, to url: URL, moving: () throws -> Void
    ) throws -> NSPersistentStore {
        // A custom store may have data outside its file, so it is rejected while it is still open.
        _ = try bridgingErrors { () throws(CoreDataError) in
            try StoreKinds.required(store.type)
        }
        enterWriting()
        defer { leaveWriting() }
        let old = store.url
        try bridgingErrors { () throws(CoreDataError) in try takeOut(store) }
        let moved = Result { try moving() }
        var place = url
        if case .failure = moved, let old { place = old }
        let copy: NSPersistentStore
        do {
            copy = try bridgingErrors { () throws(CoreDataError) in try reopen(store, at: place) }
        } catch {
            // The coordinator no longer has the store, so its objects must be invalidated.
            noteRemoved(store)
            postChange([NSRemovedPersistentStoresKey: [store]])
            throw error
        }
        postChange([
            NSAddedPersistentStoresKey: [copy], NSRemovedPersistentStoresKey: [store],
        ])
        try moved.get()
        return copy
    }

    private func reopen(
        _ store: NSPersistentStore, at url: URL
    ) throws(CoreDataError) -> NSPersistentStore {
        let kind = try StoreKinds.required(store.type)
        let backend = try openBackend(
            kind, configuration: store.modelConfiguration, url: url, options: store.options)
        let copy = NSPersistentStore(
            backend: backend, type: kind.type, configuration: store.configurationName,
            url: url, options: store.options, entityIndexes: store.entityIndexes,
            coordinator: self)
        do { try register(copy) } catch {
            backend.close()
            throw error
        }
        // Existing ids now refer to the new store.
        store.leadIDs(to: copy)
        StoreWrites.enrol(copy)
        return copy
    }
}

extension NSPersistentStoreCoordinator: NSLocking {

}
