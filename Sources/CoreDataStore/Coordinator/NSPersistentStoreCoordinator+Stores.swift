import CoreDataModel
import CoreDataTrace
import Foundation

extension NSPersistentStoreCoordinator {
    /// Implements ``managedObjectID(forURIRepresentation:)``.
    final func identifier(at url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata", let host = url.host,
            let store = persistentStores.first(where: {
                $0.identifier.caseInsensitiveCompare(host) == .orderedSame
            })
        else { return nil }
        // The parts are split manually, because `URL` decodes percent escapes in its path
        // components.
        let parts = url.absoluteString.dropFirst("x-coredata://".count)
            .split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let entity = frozenModel.entity(named: String(parts[1])),
            parts[2].hasPrefix("p"),
            let key = store.key(uriKey: String(parts[2].dropFirst()), entity.layout)
        else { return nil }
        return NSManagedObjectID(key: key, entity: entity, layout: entity.layout, store: store)
    }

    func addingError(_ description: NSPersistentStoreDescription) -> (any Error)? {
        makeFolder(for: description)
        do throws(CoreDataError) {
            _ = try add(
                type: description.type, configuration: description.configuration,
                url: description.url, options: description.options)
            return nil
        } catch {
            return error.nsError
        }
    }

    /// Creates the folder of a described store if it is missing, as Core Data does. For example,
    /// the default folder of a container may not exist when an app starts for the first time.
    private func makeFolder(for description: NSPersistentStoreDescription) {
        guard let url = description.url, !description.isReadOnly,
            let kind = StoreKinds.named(description.type),
            case .file(let path)? = try? kind.location(of: url)
        else { return }
        let folder = url.deletingLastPathComponent()
        let files = FileManager.default
        // If the folder cannot be created, adding the store reports the reason.
        guard !files.fileExists(atPath: folder.path),
            (try? files.createDirectory(at: folder, withIntermediateDirectories: true)) != nil
        else { return }
        EngineLog.error("created the missing folder \(folder.path) for the store \(path)")
    }

    package func add(
        type: String, configuration: String?, url: URL?, options: [AnyHashable: Any]?
    ) throws(CoreDataError) -> NSPersistentStore {
        if let storeClass = StoreClasses.named(type) {
            _ = try entities(configuration)
            let store = try makeStore(storeClass, type, configuration, url, options)
            try take(store)
            return store
        }
        let kind = try StoreKinds.required(type)
        _ = try entities(configuration)
        let backend = try openBackend(
            kind, configuration: configuration, url: url, options: options)
        return try add(
            backend, type: kind.type, configuration: configuration, url: url, options: options)
    }

    /// Opens or creates the backend of a store; an older store is migrated if the options ask for
    /// it.
    final func openBackend(
        _ kind: any StoreKind, configuration: String?, url: URL?, options: [AnyHashable: Any]?
    ) throws(CoreDataError) -> any ObjectStore {
        let request = StoreRequest(
            model: frozenModel, trace: trace, location: try kind.location(of: url),
            configuration: configuration, options: options)
        return try opening.open(kind, request, for: self)
    }

    package func add(
        _ backend: any ObjectStore, type: String, configuration: String? = nil, url: URL? = nil,
        options: [AnyHashable: Any]? = nil
    ) throws(CoreDataError) -> NSPersistentStore {
        let store = NSPersistentStore(
            backend: backend, type: type,
            configuration: configuration ?? NSManagedObjectModel.defaultConfigurationName, url: url,
            options: options, entityIndexes: try entities(configuration), coordinator: self)
        try take(store)
        return store
    }

    private func take(_ store: NSPersistentStore) throws(CoreDataError) {
        do { try register(store) } catch {
            store.backend.close()
            throw error
        }
        noteCall("addPersistentStore(type:at:)")
        store.didAdd(to: self)
        StoreWrites.enrol(store)
        postChange([NSAddedPersistentStoresKey: [store]])
    }

    func postChange(_ userInfo: [AnyHashable: Any]) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: userInfo)
    }

    private func entities(_ configuration: String?) throws(CoreDataError) -> Set<Int> {
        if let refusal = frozenModel.refusal { throw refusal }
        guard let found = frozenModel.model.entities(forConfigurationName: configuration) else {
            let names = frozenModel.model.configurations.joined(separator: ", ")
            throw CoreDataError(
                .invalidArgument,
                "The model has no configuration '\(configuration ?? "")'. Its configurations are:"
                    + " \(names.isEmpty ? "none" : names).")
        }
        return Set(found.map(\.layout.index))
    }

    /// Removes a store and notifies contexts and observers.
    func removeForGood(_ store: NSPersistentStore) throws(CoreDataError) {
        try takeOut(store)
        noteRemoved(store)
        postChange([NSRemovedPersistentStoresKey: [store]])
    }

    /// Closes and removes a store. Posts a notification before the removal, but none afterwards.
    func takeOut(_ store: NSPersistentStore) throws(CoreDataError) {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CoreDataError(.invalidArgument, "The store is not in this coordinator.")
        }
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
        store.willRemove(from: self)
        noteStores("removes \(store.place)")
        guard unregister(store) else { return }
        store.backend.close()
        store.didRemove()
        rowCache.removeAll()
    }

}

// MARK: The coordinator's queue

extension NSPersistentStoreCoordinator {

    /// Runs the block on the coordinator's queue and waits for it.
    public final func performAndWait<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        noteCall("performAndWait(_:)")
        return try queue.runAndWait(block)
    }
}
