import CoreDataModel
import Foundation

/// The kind of stores in one file that is read and written as a whole in a given format.
struct WholeFileKind: StoreKind {
    private let format: any WholeFileFormat

    init(_ format: any WholeFileFormat) { self.format = format }

    var type: String { format.type }

    var traits: StoreTraits { [.uniqueness, .readCommitted, .repeatableRead, .serializable] }

    func location(of url: URL?) throws(CoreDataError) -> StoreLocation { try .fileOrMemory(url) }

    /// Determines the format of a file from its first bytes.
    func claims(_ url: URL) throws(CoreDataError) -> Bool {
        guard url.isFileURL else { return false }
        _ = try RegularFile.status(url.path)
        return try WholeFile.claimed(url.path)?.format.type == type
    }

    // MARK: Opening

    func open(_ request: StoreRequest) throws(CoreDataError) -> any ObjectStore {
        guard case .file(let path) = request.location else {
            return try MemoryKind().open(request)
        }
        let parsed = try WholeStoreOptions(request.options, type: type)
        request.noteConstraints(type, parsed)
        let file = WholeFile(
            path: path, format: format, isPrivate: parsed.isPrivate,
            timeoutMilliseconds: parsed.timeoutMilliseconds)
        let exists = try RegularFile.status(path) != nil
        if !parsed.isReadOnly {
            PendingFile.clear(path)
            let document = request.newDocument(type)
            // If another process creates the store first, its store is opened.
            if !exists, let keeper = try file.create(document) {
                return MemoryStore(
                    document, keeper: keeper, enforcesUniqueness: parsed.enforcesUniqueness)
            }
        }
        // For a store of another type, this error names the actual type.
        _ = try found(path)
        let bytes = try file.bytes()
        try check(try file.metadata(in: bytes), request, parsed, path)
        let document = try file.document(in: bytes, layout: request.model.layout)
        return MemoryStore(
            document, keeper: parsed.isReadOnly ? nil : WholeFileKeeper(file, knowing: bytes),
            isReadOnly: parsed.isReadOnly, enforcesUniqueness: parsed.enforcesUniqueness)
    }

    private func check(
        _ metadata: MemoryMetadata, _ request: StoreRequest, _ options: WholeStoreOptions,
        _ path: String
    ) throws(CoreDataError) {
        guard !options.ignoresVersionHashes else { return }
        let fits = request.model.model.isConfiguration(
            withName: request.configuration, compatibleWithStoreMetadata: metadata.shown)
        guard !fits else { return }
        throw CoreDataError(
            .storeIncompatibleVersionHash,
            "The model is not the one that created the store \(path). Open the store with its"
                + " own model, or migrate it",
            info: ["NSFilePath": path],
            payload: CoreDataError.Payload(userInfo: ["metadata": metadata.shown]))
    }

    func create(
        _ request: StoreRequest, filling fill: (any ObjectStore) throws(CoreDataError) -> Void
    ) throws(CoreDataError) -> any ObjectStore {
        let creation = FileCreation(kind: self, request: request)
        try creation.checkFree()
        return try creation.run(fill)
    }

    // MARK: Stores that are not open

    func metadata(of store: ClosedStore) throws(CoreDataError) -> [String: any Sendable] {
        let file = try found(store)
        return try file.metadata(in: try file.bytes()).shown
    }

    func setMetadata(
        _ values: [String: any Sendable], of store: ClosedStore
    ) throws(CoreDataError) {
        try found(store).setMetadata(values)
    }

    func destroy(_ store: ClosedStore) throws(CoreDataError) {
        let path = try StoreLocation.path(store.url)
        guard try RegularFile.status(path) != nil else { return }
        // A file in an unknown format may be removed, but not a store of another type.
        if try StoreFile.isDatabase(path) { try check(NSSQLiteStoreType, path) }
        if let claimed = try WholeFile.claimed(path) { try check(claimed.format.type, path) }
        try file(path, store).remove()
    }

    func replace(_ store: ClosedStore, by source: ClosedStore) throws(CoreDataError) {
        let source = try found(source)
        try file(try StoreLocation.path(store.url), store).replace(by: source)
    }

    private func found(_ store: ClosedStore) throws(CoreDataError) -> WholeFile {
        let found = try found(try StoreLocation.path(store.url))
        return try file(found.path, store)
    }

    private func file(
        _ path: String, _ store: ClosedStore
    ) throws(CoreDataError) -> WholeFile {
        let timeout = try StoreOptionsReader(store.options).timeoutMilliseconds()
        return WholeFile(
            path: path, format: format,
            timeoutMilliseconds: timeout ?? StoreOptionsReader.usualTimeoutMilliseconds)
    }

    /// The file at a path.
    ///
    /// - Throws: 134010 if the file is a store of another type, 259 if it is not a store.
    private func found(_ path: String) throws(CoreDataError) -> WholeFile {
        let status = try RegularFile.status(path)
        if let claimed = try WholeFile.claimed(path) {
            try check(claimed.format.type, path)
            return claimed
        }
        // For a missing file, this error is more precise than SQLite's.
        if status == nil { try StoreFile.check(path, isReadOnly: true) }
        guard try StoreFile.isDatabase(path) else {
            throw StoreFile.error(
                .fileReadCorrupt, path,
                "does not begin with the bytes of a store of the type \(type); use the path of a"
                    + " store, or restore the file from a copy")
        }
        throw mismatch(NSSQLiteStoreType, path)
    }

    private func check(_ found: String, _ path: String) throws(CoreDataError) {
        if found != type { throw mismatch(found, path) }
    }

    private func mismatch(_ found: String, _ path: String) -> CoreDataError {
        StoreFile.error(
            .storeTypeMismatch, path, "is a store of the type \(found), not \(type)")
    }
}

extension WholeFile {
    private static let formats: [any WholeFileFormat] = [BinaryStoreFormat(), XMLStoreFormat()]

    /// The file, if one of the formats recognizes it.
    static func claimed(_ path: String) throws(CoreDataError) -> WholeFile? {
        guard try StoreFile.regularFile(path) != nil else { return nil }
        let start = Data(try StoreFile.start(of: path, count: 512))
        return formats.first { $0.claims(start) }.map { WholeFile(path: path, format: $0) }
    }
}
