import CoreDataModel
import CoreDataTrace
import Foundation

/// Creates the store for a built-in type: only this type knows the concrete stores.
///
/// Called by the coordinator when a store is added.
package struct StoreFactory {
    package let model: FrozenModel
    package let trace: Trace

    package init(model: FrozenModel, trace: Trace) {
        self.model = model
        self.trace = trace
    }

    /// Opens or creates a store of the configuration's entities.
    ///
    /// - Parameters:
    ///   - url: nil or the null device for a store that is only in memory; a name below the null
    ///     device for a SQLite store in memory that the process's coordinators share.
    ///   - identifier: the UUID of a new store; random unless given.
    package func make(
        type: BuiltInStoreType, configuration: String?, url: URL?, options: [AnyHashable: Any]?,
        identifier: String? = nil
    ) throws(CoreDataError) -> any ObjectStore {
        let path = try path(url)
        switch type {
        case .sqlite:
            let location: SQLiteStoreOptions.Location? = Self.sharedName(url).map { .shared($0) }
            return try makeSQLite(
                location ?? path.map { .file($0) } ?? .image([]), configuration, options,
                identifier)
        case .inMemory: return try makeInMemory(configuration, options, identifier)
        case .binary, .xml:
            guard let path, let format = type.format else {
                return try makeInMemory(configuration, options, identifier)
            }
            return try makeWhole(path, format, configuration, options, identifier)
        }
    }

    /// The name of a store in memory that coordinators share: the part after `/dev/null/`.
    private static func sharedName(_ url: URL?) -> String? {
        guard let url, url.isFileURL, url.path.hasPrefix("/dev/null/") else { return nil }
        return String(url.path.dropFirst("/dev/null/".count))
    }

    /// The file that a URL names; nil for a store in memory.
    func path(_ url: URL?) throws(CoreDataError) -> String? {
        guard let url, url.path != "/dev/null", Self.sharedName(url) == nil else { return nil }
        guard url.isFileURL else {
            throw CoreDataError(
                .invalidArgument,
                "The store's URL must be a file URL, not \(url.absoluteString).")
        }
        return url.path
    }

    // MARK: SQLite

    /// Opens a file with one connection, even if its migration is not finished.
    package func makeWithOneConnection(
        path: String, configuration: String?, options: [AnyHashable: Any]?
    ) throws(CoreDataError) -> SQLiteStore {
        try makeSQLite(.file(path), configuration, options, nil, isAlone: true)
    }

    private func makeSQLite(
        _ location: SQLiteStoreOptions.Location, _ configuration: String?,
        _ options: [AnyHashable: Any]?, _ identifier: String?, isAlone: Bool = false
    ) throws(CoreDataError) -> SQLiteStore {
        if case .file(let path) = location, let other = try StoreFiles.wholeFile(path) {
            throw StoreFile.error(
                .storeTypeMismatch, path, "is a store of the type \(other.format.type), not SQLite")
        }
        var parsed = try StoreOptionsReader(options ?? [:]).read(location)
        parsed.newStoreIdentifier = identifier
        parsed.isAlone = isAlone
        addModel(configuration, to: &parsed)
        if let entities = model.model.entities(forConfigurationName: configuration) {
            parsed.entityIndexes = Set(entities.map(\.layout.index))
        }
        return try SQLiteStore(parsed, layout: model.layout, trace: trace)
    }

    /// Adds the model's metadata to the options of a new store.
    private func addModel(
        _ configuration: String?, to options: inout SQLiteStoreOptions
    ) {
        let metadata = model.model.storeMetadata(forConfigurationName: configuration)
        options.newStoreMetadata = metadata ?? [:]
        options.newStoreModelCache = { [model = model.model] in model.cachedModelData() }
    }

    // MARK: Stores that are entirely in memory

    /// Rejects features that only SQLite computes, and logs those that only SQLite enforces.
    private func checkModel(
        _ type: String, _ configuration: String?, _ options: WholeStoreOptions
    ) throws(CoreDataError) {
        let entities = model.model.entities(forConfigurationName: configuration) ?? []
        for entity in entities {
            guard
                let derived = entity.attributesByName.values.first(where: {
                    $0 is NSDerivedAttributeDescription && !$0.isTransient
                })
            else { continue }
            throw CoreDataError(
                .unsupported,
                "Core Data provided atomic stores do not support derived properties: a store of"
                    + " the type \(type) cannot compute '\(entity.name ?? "").\(derived.name)'."
                    + " Use NSSQLiteStoreType.")
        }
        let constrained = entities.filter { !$0.uniquenessConstraints.isEmpty }
            .compactMap(\.name).sorted()
        if constrained.isEmpty || options.enforcesUniqueness { return }
        EngineLog.errorOnce(
            "a store of the type \(type) does not enforce uniqueness constraints, and the model has"
                + " some for \(constrained.joined(separator: ", ")): equal values are saved."
                + " Use NSSQLiteStoreType, or add the store with"
                + " FaultlineEnforceUniquenessConstraintsOption.")
    }

    private func makeInMemory(
        _ configuration: String?, _ options: [AnyHashable: Any]?, _ identifier: String?
    ) throws(CoreDataError) -> MemoryStore {
        let parsed = try WholeStoreOptions(options ?? [:], type: .inMemory)
        try checkModel(NSInMemoryStoreType, configuration, parsed)
        return MemoryStore(
            newDocument(NSInMemoryStoreType, configuration, identifier: identifier),
            isReadOnly: parsed.isReadOnly, enforcesUniqueness: parsed.enforcesUniqueness)
    }

    private func makeWhole(
        _ path: String, _ format: any WholeFileFormat, _ configuration: String?,
        _ options: [AnyHashable: Any]?, _ identifier: String?
    ) throws(CoreDataError) -> MemoryStore {
        let type = BuiltInStoreType(rawValue: format.type) ?? .binary
        let parsed = try WholeStoreOptions(options ?? [:], type: type)
        try checkModel(format.type, configuration, parsed)
        let file = WholeFile(
            path: path, format: format, isPrivate: parsed.isPrivate,
            timeoutMilliseconds: parsed.timeoutMilliseconds)
        let exists = try RegularFile.status(path) != nil
        if !parsed.isReadOnly {
            PendingFile.clear(path)
            let document = newDocument(format.type, configuration, identifier: identifier)
            // If another process is faster, its store is opened.
            if !exists, let keeper = try file.create(document) {
                return MemoryStore(
                    document, keeper: keeper, enforcesUniqueness: parsed.enforcesUniqueness)
            }
        }
        // Reports the file's actual type.
        try StoreFiles(URL(fileURLWithPath: path), type: type).checkType()
        let bytes = try file.bytes()
        try check(try file.metadata(in: bytes), configuration, parsed, path)
        let document = try file.document(in: bytes, layout: model.layout)
        return MemoryStore(
            document, keeper: parsed.isReadOnly ? nil : WholeFileKeeper(file, knowing: bytes),
            isReadOnly: parsed.isReadOnly, enforcesUniqueness: parsed.enforcesUniqueness)
    }

    /// A new store's document: no rows, and the model's hashes.
    func newDocument(
        _ type: String, _ configuration: String?, identifier: String? = nil
    ) -> MemoryDocument {
        let metadata = model.model.storeMetadata(forConfigurationName: configuration)
        return MemoryDocument(
            content: MemoryContent(layout: model.layout),
            metadata: MemoryMetadata(
                identifier: identifier ?? UUID().uuidString, type: type,
                values: metadata ?? [:]))
    }

    private func check(
        _ metadata: MemoryMetadata, _ configuration: String?, _ options: WholeStoreOptions,
        _ path: String
    ) throws(CoreDataError) {
        guard !options.ignoresVersionHashes else { return }
        let fits = model.model.isConfiguration(
            withName: configuration, compatibleWithStoreMetadata: metadata.shown)
        guard !fits else { return }
        throw CoreDataError(
            .storeIncompatibleVersionHash,
            "The model is not the one that created the store \(path). Open the store with its"
                + " own model, or migrate it",
            info: ["NSFilePath": path],
            payload: CoreDataError.Payload(userInfo: ["metadata": metadata.shown]))
    }
}
