import CoreDataModel
import Foundation

/// Metadata of stores that are not open.
extension NSPersistentStoreCoordinator {
    /// The metadata of the store at a URL; nothing is written.
    ///
    /// - Parameters:
    ///   - storeType: the store's type; nil to look into the file.
    /// - Throws: 134010 when the file is a store of another type, 260 when there is none, 259 when
    ///   it is no store.
    public class func metadataForPersistentStore(
        ofType storeType: String?, at url: URL
    ) throws -> [String: Any] {
        try bridgingErrors { () throws(CoreDataError) in try metadata(storeType, url, nil) }
    }

    /// The metadata of the store at a URL; nothing is written.
    public class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try bridgingErrors { () throws(CoreDataError) in try metadata(storeType, url, options) }
    }

    /// The metadata of the store at a URL; nothing is written.
    public class func metadataForPersistentStore(
        type storeType: NSPersistentStore.StoreType, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: storeType.rawValue, at: storeURL, options: options)
    }

    /// The metadata of the store at a URL, whatever type it has.
    public class func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
        try metadataForPersistentStore(ofType: nil, at: url)
    }

    /// Replaces the program's own values in the metadata of the store at a URL, at once; type, UUID
    /// and what describes the model stay.
    public class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String?, at url: URL
    ) throws {
        try bridgingErrors { () throws(CoreDataError) in
            try setMetadata(metadata, storeType, url, nil)
        }
    }

    /// Replaces the program's own values in the metadata of the store at a URL, at once.
    public class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try bridgingErrors { () throws(CoreDataError) in
            try setMetadata(metadata, storeType, url, options)
        }
    }

    /// Replaces the program's own values in the metadata of the store at a URL, at once.
    public class func setMetadata(
        _ metadata: [String: Any]?, type storeType: NSPersistentStore.StoreType, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(
            metadata, forPersistentStoreOfType: storeType.rawValue, at: storeURL, options: options)
    }

    private class func metadata(
        _ type: String?, _ url: URL, _ options: [AnyHashable: Any]?
    ) throws(CoreDataError) -> [String: Any] {
        if let storeClass = type.flatMap(StoreClasses.named) {
            do { return try storeClass.metadataForPersistentStore(with: url) } catch {
                throw CoreDataError(error)
            }
        }
        return try StoreFiles(url, type: try builtIn(type), options: options).metadata()
    }

    private class func setMetadata(
        _ metadata: [String: Any]?, _ type: String?, _ url: URL, _ options: [AnyHashable: Any]?
    ) throws(CoreDataError) {
        if let storeClass = type.flatMap(StoreClasses.named) {
            do { return try storeClass.setMetadata(metadata, forPersistentStoreAt: url) } catch {
                throw CoreDataError(error)
            }
        }
        let values = try PropertyListValue.sendable(metadata ?? [:])
        try StoreFiles(url, type: try builtIn(type), options: options).setMetadata(values)
    }

    fileprivate class func builtIn(_ type: String?) throws(CoreDataError) -> BuiltInStoreType? {
        guard let type else { return nil }
        return try BuiltInStoreType.named(type)
    }
}

/// Destroying and replacing stores.
extension NSPersistentStoreCoordinator {
    /// Empties the store at a URL: of a SQLite store the file stays, without a table in it.
    ///
    /// SQLite's locks count: while another connection uses the store, it fails after the timeout.
    /// A store of this coordinator at that URL is removed from it first. A file that is not there
    /// is no error.
    ///
    /// - Parameters:
    ///   - storeType: the store's type, compared without regard to case.
    ///   - options: the timeout; `NSPersistentStoreForceDestroyOption` to remove the files of a
    ///     SQLite store that cannot be emptied.
    public func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        try bridgingErrors { () throws(CoreDataError) in
            let files = StoreFiles(url, type: try Self.builtIn(storeType), options: options)
            try removeStore(at: url)
            try files.destroy()
        }
    }

    /// Empties the store at a URL.
    public func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    /// Puts a copy of the store at one URL, its UUID included, in the place of the one at another.
    ///
    /// Goes through SQLite, so that locks and journals on both sides count. A store of this
    /// coordinator at the destination is removed from it first; add it again afterwards.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        ofType storeType: String
    ) throws {
        try bridgingErrors { () throws(CoreDataError) in
            let type = try Self.builtIn(storeType)
            guard destinationURL.standardizedFileURL != sourceURL.standardizedFileURL else {
                throw CoreDataError(
                    .invalidArgument, "A store cannot replace itself. Name two URLs.")
            }
            try removeStore(at: destinationURL)
            try StoreFiles(destinationURL, type: type, options: destinationOptions)
                .replace(by: StoreFiles(sourceURL, type: type, options: sourceOptions))
        }
    }

    /// Puts a copy of the store at one URL in the place of the one at another.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type sourceType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions,
            withPersistentStoreFrom: sourceURL, sourceOptions: sourceOptions,
            ofType: sourceType.rawValue)
    }

    private func removeStore(at url: URL) throws(CoreDataError) {
        guard let store = persistentStore(for: url) else { return }
        try removeForGood(store)
    }
}

/// Copying a store of the coordinator into another one.
extension NSPersistentStoreCoordinator {
    /// Copies a store to another place or type, and has the coordinator go on with the copy.
    ///
    /// Every row is read and written once; primary keys stay, versions begin anew, and the copy has
    /// a UUID of its own. Objects of contexts find their rows in the copy. `storesDidChange` is
    /// posted with the old and the new store under `NSUUIDChangedPersistentStoresKey`.
    ///
    /// - Returns: the new store; the old one is removed from the coordinator, its file stays.
    /// - Throws: 516 when there is a file at the URL already. A copy that fails leaves none.
    public func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
        withType storeType: String
    ) throws -> NSPersistentStore {
        try bridgingErrors { () throws(CoreDataError) in
            try migrate(store, to: URL, options, storeType)
        }
    }

    /// Copies a store to another place or type, and has the coordinator go on with the copy.
    public func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(
            store, to: storeURL, options: options, withType: storeType.rawValue)
    }

    private func migrate(
        _ store: NSPersistentStore, to url: URL, _ options: [AnyHashable: Any]?, _ type: String
    ) throws(CoreDataError) -> NSPersistentStore {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CoreDataError(.invalidArgument, "The store is not in this coordinator.")
        }
        guard let builtIn = try Self.builtIn(type) else { return store }
        if builtIn != .inMemory, FileManager.default.fileExists(atPath: url.path) {
            throw StoreFile.error(
                .fileWriteFileExists, url.path,
                "exists; destroy that store and remove the file, or name another one")
        }
        let configuration =
            store.configurationName == NSManagedObjectModel.defaultConfigurationName
            ? nil : store.configurationName
        enterWriting()
        defer { leaveWriting() }
        let backend = try StoreFactory(model: frozenModel, trace: trace)
            .make(type: builtIn, configuration: configuration, url: url, options: options)
        do {
            try StoreCopy(from: store.backend, to: backend, layout: frozenModel.layout)
                .run(entities: store.entityIndexes)
        } catch {
            backend.close()
            // The file was made here. What cannot be removed either says so at the next attempt.
            let made = StoreFiles(url, type: builtIn, options: options)
            if builtIn != .inMemory, (try? made.destroy()) != nil {
                try? FileManager.default.removeItem(at: url)
            }
            throw error
        }
        try takeOut(store)
        let copy = NSPersistentStore(
            backend: backend, type: builtIn.rawValue, configuration: store.configurationName,
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

/// The coordinator as a lock.
extension NSPersistentStoreCoordinator: NSLocking {
    /// Keeps saves of other threads out until ``unlock()``; may be nested.
    @available(*, deprecated, message: "use performAndWait(_:)")
    public func lock() { enterWriting() }

    /// Ends what ``lock()`` began.
    @available(*, deprecated, message: "use performAndWait(_:)")
    public func unlock() { leaveWriting() }

    /// As ``lock()``, where no other thread has the lock.
    ///
    /// - Returns: whether the caller has the lock now.
    @available(*, deprecated, message: "use performAndWait(_:)")
    public func tryLock() -> Bool { saveLock.try() }
}

/// Adding stores by typed names.
extension NSPersistentStoreCoordinator {
    /// Opens a store, or makes it where there is none, and adds it.
    @discardableResult
    public func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue, configurationName: configuration, at: storeURL,
            options: options)
    }
}
