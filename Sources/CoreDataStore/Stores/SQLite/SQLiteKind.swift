import CoreDataModel
import Foundation

/// The kind of stores that use SQLite, with a file in Core Data's format or in memory.
package struct SQLiteKind: StoreKind {
    package init() {}

    package var type: String { NSSQLiteStoreType }

    package var traits: StoreTraits {
        [
            .history, .batches, .heldState, .rewinding, .derivedValues, .uniqueness, .remoteChanges,
            .statements, .readCommitted, .repeatableRead, .serializable,
        ]
    }

    package var upgrade: (any StoreUpgrade)? { SQLiteUpgrade() }

    package func location(of url: URL?) throws(CoreDataError) -> StoreLocation {
        try .fileOrMemory(url)
    }

    // MARK: Opening

    package func open(_ request: StoreRequest) throws(CoreDataError) -> any ObjectStore {
        try SQLiteStore(
            try options(of: request), layout: request.model.layout, trace: request.trace)
    }

    func options(of request: StoreRequest) throws(CoreDataError) -> SQLiteStoreOptions {
        let location = try place(of: request)
        if case .file(let path) = location, let other = try WholeFile.claimed(path) {
            throw mismatch(other)
        }
        var options = try StoreOptionsReader(request.options).read(location)
        options.newStoreIdentifier = request.identifier
        guard request.describesModel else { return options }
        options.newStoreMetadata = request.modelMetadata
        options.newStoreModelCache = { [model = request.model.model] in model.cachedModelData() }
        if let entities = request.entities {
            options.entityIndexes = Set(entities.map(\.layout.index))
        }
        return options
    }

    private func place(
        of request: StoreRequest
    ) throws(CoreDataError) -> SQLiteStoreOptions.Location {
        switch request.location {
        case .file(let path): .file(path)
        case .memory(nil): .image(request.mark?.image ?? [])
        case .memory(let name?): .shared(name)
        case .server(let url): .file(try StoreLocation.path(url))
        }
    }

    private func mismatch(_ other: WholeFile) -> CoreDataError {
        StoreFile.error(
            .storeTypeMismatch, other.path,
            "is a store of the type \(other.format.type), not \(type)")
    }

    package func create(
        _ request: StoreRequest, filling fill: (any ObjectStore) throws(CoreDataError) -> Void
    ) throws(CoreDataError) -> any ObjectStore {
        var creation = FileCreation(kind: self, request: request)
        try creation.checkFree()
        if case .file(let path) = request.location {
            try StoreFile.check(path, isReadOnly: false)
            creation.draftOptions = [SQLiteStoreOptions.valuesOwnerKey: path]
        }
        return try creation.run(fill)
    }

    // MARK: Stores that are not open

    package func metadata(
        of store: ClosedStore
    ) throws(CoreDataError) -> [String: any Sendable] {
        try found(store).metadata()
    }

    package func setMetadata(
        _ values: [String: any Sendable], of store: ClosedStore
    ) throws(CoreDataError) {
        try found(store).setMetadata(values)
    }

    /// Empties the store. The file remains, without tables.
    package func destroy(_ store: ClosedStore) throws(CoreDataError) {
        var force = false
        if let value = store.options[NSPersistentStoreForceDestroyOption] {
            force = try StoreOptionsReader([:]).bool(NSPersistentStoreForceDestroyOption, value)
        }
        try files(store).destroy(force: force)
    }

    package func replace(
        _ store: ClosedStore, by source: ClosedStore
    ) throws(CoreDataError) {
        let source = try found(source)
        try files(store).replace(by: source)
    }

    /// The files of an existing store.
    ///
    /// - Throws: 134010 if the file is a store of another type.
    private func found(_ store: ClosedStore) throws(CoreDataError) -> SQLiteStoreFiles {
        let path = try StoreLocation.path(store.url)
        _ = try RegularFile.status(path)
        if let other = try WholeFile.claimed(path) { throw mismatch(other) }
        return try files(store)
    }

    private func files(_ store: ClosedStore) throws(CoreDataError) -> SQLiteStoreFiles {
        let reader = StoreOptionsReader(store.options)
        var files = SQLiteStoreFiles(path: try StoreLocation.path(store.url))
        if let timeout = try reader.timeoutMilliseconds() {
            files.busyTimeoutMilliseconds = timeout
        }
        files.isPrivate = try reader.isPrivate()
        return files
    }
}
