import CoreDataModel
import Foundation

/// Everything that a store in memory is: its rows and what is kept with them.
///
/// `MemoryStore` holds one; whole-file formats turn it into bytes and back.
struct MemoryDocument: Sendable {
    var content: MemoryContent
    var metadata: MemoryMetadata
}

/// The metadata of a store that is in memory as a whole.
struct MemoryMetadata: Sendable {
    var identifier: String
    let type: String
    /// Without type and UUID.
    private(set) var values: [String: any Sendable]
    /// Whether the next save has it to write.
    var isChanged = false

    init(identifier: String, type: String, values: [String: any Sendable]) {
        self.identifier = identifier
        self.type = type
        self.values = values
        self.values[StoreMetadata.typeKey] = nil
        self.values[StoreMetadata.identifierKey] = nil
    }

    /// What a coordinator shows.
    var shown: [String: any Sendable] {
        var result = values
        result[StoreMetadata.typeKey] = type
        result[StoreMetadata.identifierKey] = identifier
        return result
    }

    /// Replaces the program's own values; the model's stay.
    mutating func replace(with metadata: [String: any Sendable]) {
        var kept = values.filter { StoreMetadata.isOwn($0.key) }
        for (key, value) in metadata
        where !StoreMetadata.isOwn(key) && key != StoreMetadata.identifierKey {
            kept[key] = value
        }
        values = kept
        isChanged = true
    }
}

/// The one file of a store, read when it is opened and written anew by each save.
struct WholeFile: MemoryKeeper {
    let path: String
    let format: any WholeFileFormat
    var isPrivate = false

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    func keep(_ document: MemoryDocument) throws(CoreDataError) { try write(document) }

    /// Puts a new file in the place of the old one, which stays as it was if that fails.
    func write(_ document: MemoryDocument) throws(CoreDataError) {
        let data = try format.data(for: document)
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw StoreFile.error(
                .fileWriteNoPermission, path,
                "cannot be written (\(error)); choose a folder that can")
        }
        if isPrivate { StoreFile.makePrivate(path) }
    }

    func read(_ layout: ModelLayout) throws(CoreDataError) -> MemoryDocument {
        try format.document(from: try bytes(), layout: layout, path: path)
    }

    /// - Throws: 260 for a missing file and 256 for one that cannot be read.
    func bytes() throws(CoreDataError) -> Data {
        guard exists else {
            throw StoreFile.error(
                .readOnlyFileMissing, path, "does not exist; name a store",
                reason: "Attempt to open missing file read only")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw StoreFile.error(.fileReadUnknown, path, "cannot be read; check its permissions")
        }
        return data
    }
}

/// A way to write a whole store into one file.
protocol WholeFileFormat: Sendable {
    /// The store type that files of the format have.
    var type: String { get }
    /// Whether bytes begin as a file of the format does.
    func claims(_ data: Data) -> Bool
    func data(for document: MemoryDocument) throws(CoreDataError) -> Data
    /// - Throws: 259 for bytes that are no file of the format.
    func document(
        from data: Data, layout: ModelLayout, path: String
    ) throws(CoreDataError) -> MemoryDocument
    /// The metadata alone.
    func metadata(from data: Data, path: String) throws(CoreDataError) -> MemoryMetadata
    /// The same file with other metadata.
    func replacing(
        _ metadata: MemoryMetadata, in data: Data, path: String
    ) throws(CoreDataError) -> Data
}
