import CoreDataModel
import Foundation

/// Adding, removing and describing stores.
extension NSPersistentStoreCoordinator {
    /// Opens a store, or makes it where there is none, and adds it.
    ///
    /// - Parameters:
    ///   - storeType: a built-in type, compared without regard to case, or a registered one.
    ///   - configuration: the configuration whose entities the store keeps; nil for all.
    ///   - storeURL: the store's file; nil for a store that is in memory alone.
    /// - Throws: 134000 for an unknown type, 134010 for a file of another type, 134100 when
    ///   the store does not fit the model, 259 when the file is no store, and what SQLite reports;
    ///   the file is then untouched.
    @discardableResult
    public func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try bridgingErrors { () throws(CoreDataError) in
            try add(type: storeType, configuration: configuration, url: storeURL, options: options)
        }
    }

    /// Opens or makes a store as described and adds it; the block is called once, also on failure.
    public func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        guard storeDescription.shouldAddStoreAsynchronously else {
            block(storeDescription, addingError(storeDescription))
            return
        }
        // Safe, because the coordinator's queue alone uses both from here on.
        nonisolated(unsafe) let (description, block) = (storeDescription, block)
        queue.enqueue("add store") { block(description, self.addingError(description)) }
    }

    private func addingError(_ description: NSPersistentStoreDescription) -> (any Error)? {
        do throws(CoreDataError) {
            _ = try add(
                type: description.type, configuration: description.configuration,
                url: description.url, options: description.options)
            return nil
        } catch {
            return error.nsError
        }
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
        let builtIn = try BuiltInStoreType.named(type)
        _ = try entities(configuration)
        let backend = try opening.open(
            type: builtIn, configuration: configuration, url: url, options: options, for: self)
        return try add(
            backend, type: builtIn.rawValue, configuration: configuration, url: url,
            options: options)
    }

    /// Adds a store that exists already.
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

    /// Closes a store and takes it out of the coordinator.
    public func remove(_ store: NSPersistentStore) throws {
        try bridgingErrors { () throws(CoreDataError) in
            try removeForGood(store)
        }
    }

    /// Takes a store out and tells contexts and observers.
    func removeForGood(_ store: NSPersistentStore) throws(CoreDataError) {
        try takeOut(store)
        noteRemoved(store)
        postChange([NSRemovedPersistentStoresKey: [store]])
    }

    /// Closes a store and takes it out, telling nobody that it is done.
    func takeOut(_ store: NSPersistentStore) throws(CoreDataError) {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CoreDataError(.invalidArgument, "The store is not in this coordinator.")
        }
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
        store.willRemove(from: self)
        guard unregister(store) else { return }
        store.backend.close()
        store.didRemove()
        rowCache.removeAll()
    }

    /// The store at the URL, or nil.
    public func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
    }

    /// Where the store is; the null device for a store in memory.
    public func url(for store: NSPersistentStore) -> URL {
        store.url ?? Foundation.URL(fileURLWithPath: "/dev/null")
    }

    /// What is kept with the store.
    public func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Changes what is kept with the store; written with the next save.
    public func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        store.metadata = metadata
    }

    /// Tells where a store is now; a SQLite store goes on with the file that it has open.
    ///
    /// - Returns: whether the store is in this coordinator.
    public func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        guard persistentStores.contains(where: { $0 === store }) else { return false }
        store.url = url
        return true
    }

    /// The id behind a URI as text, or nil when no store of this coordinator has its UUID.
    public func managedObjectID(for string: String) -> NSManagedObjectID? {
        Foundation.URL(string: string).flatMap { managedObjectID(forURIRepresentation: $0) }
    }

    /// The id behind a URI, or nil when no store of this coordinator has its UUID.
    ///
    /// Does not look whether the row exists. No statement.
    public func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata", let host = url.host,
            let store = persistentStores.first(where: {
                $0.identifier.caseInsensitiveCompare(host) == .orderedSame
            })
        else { return nil }
        // Not the path's components, which are without escapes.
        let parts = url.absoluteString.dropFirst("x-coredata://".count)
            .split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let entity = frozenModel.entity(named: String(parts[1])),
            parts[2].hasPrefix("p"),
            let key = store.key(uriKey: String(parts[2].dropFirst()), entity.layout)
        else { return nil }
        return NSManagedObjectID(key: key, entity: entity, layout: entity.layout, store: store)
    }
}

// MARK: The coordinator's queue

extension NSPersistentStoreCoordinator {
    /// Runs the block on the coordinator's queue, some time later.
    public func perform(_ block: @escaping () -> Void) {
        // Safe: the block runs once, on the coordinator's queue, as its caller asks for.
        nonisolated(unsafe) let block = block
        queue.enqueue("perform") { block() }
    }

    /// Runs the block on the coordinator's queue and waits for it.
    public func performAndWait<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        try queue.runAndWait(block)
    }
}
