import CoreDataModel
import Foundation
import Synchronization

/// The file of a store that is read as a whole when the store is opened, and replaced by each save.
struct WholeFile: Sendable {
    package let path: String
    package let format: any WholeFileFormat
    var isPrivate = false
    package var timeoutMilliseconds = 5_000

    // MARK: Reading

    package func bytes() throws(CoreDataError) -> Data { try RegularFile.bytes(path) }

    /// Reads only the metadata from the bytes of a file.
    ///
    /// - Throws: 259 for bytes that are not in the format.
    package func metadata(in data: Data) throws(CoreDataError) -> MemoryMetadata {
        do throws(FileFinding) { return try format.metadata(from: data) } catch {
            throw damaged(error, data)
        }
    }

    package func document(
        in data: Data, layout: ModelLayout
    ) throws(CoreDataError) -> MemoryDocument {
        do throws(FileFinding) { return try format.document(from: data, layout: layout) } catch {
            throw damaged(error, data)
        }
    }

    private func damaged(_ finding: FileFinding, _ data: Data) -> CoreDataError {
        let place = format.place(of: finding.offset, in: data)
        return CoreDataError(
            .fileReadCorrupt,
            "The file \(path)\(place) is damaged, or its type is not \(format.type): "
                + "\(finding.text); restore the file from a copy",
            info: ["NSFilePath": path, "reason": finding.text])
    }

    // MARK: Writing

    /// Creates the file of a new store; nil if another process has just created one.
    package func create(_ document: MemoryDocument) throws(CoreDataError) -> WholeFileKeeper? {
        let data = try format.data(for: document)
        return try changing { pending throws(CoreDataError) in
            guard try RegularFile.status(path) == nil else { return nil }
            try pending.replace(with: data, isPrivate: isPrivate)
            return WholeFileKeeper(self, knowing: data)
        }
    }

    package func setMetadata(_ values: [String: any Sendable]) throws(CoreDataError) {
        try changing { pending throws(CoreDataError) in
            let data = try bytes()
            try verify(data)
            var metadata = try metadata(in: data)
            metadata.replace(with: values)
            try pending.replace(
                with: try format.replacing(metadata, in: data), isPrivate: isPrivate)
        }
    }

    /// Replaces the file by the bytes of another store. The file may be missing.
    package func replace(by source: WholeFile) throws(CoreDataError) {
        let data = try source.bytes()
        try source.verify(data)
        try changing { pending throws(CoreDataError) in
            try pending.replace(with: data, isPrivate: isPrivate)
        }
    }

    package func remove() throws(CoreDataError) {
        guard try RegularFile.status(path) != nil else { return }
        try changing { pending throws(CoreDataError) in try pending.remove() }
    }

    /// Checks the whole file before any of its content is used.
    private func verify(_ data: Data) throws(CoreDataError) {
        do throws(FileFinding) { try format.verify(data) } catch { throw damaged(error, data) }
    }

    fileprivate func changing<T>(
        _ body: (inout PendingFile) throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        try PendingFile.hold(path, timeoutMilliseconds: timeoutMilliseconds, body)
    }
}

/// A file format that stores a whole store in one file.
protocol WholeFileFormat: Sendable {
    var type: String { get }
    /// Whether the bytes begin like a file in the format.
    func claims(_ data: Data) -> Bool
    /// - Throws: 134030 for a value that the format cannot contain.
    func data(for document: MemoryDocument) throws(CoreDataError) -> Data
    func document(
        from data: Data, layout: ModelLayout
    ) throws(FileFinding) -> MemoryDocument
    /// Reads only the metadata, and checks that the rest of the file is present.
    func metadata(from data: Data) throws(FileFinding) -> MemoryMetadata
    /// Checks everything that can be checked without a model.
    func verify(_ data: Data) throws(FileFinding)
    func replacing(
        _ metadata: MemoryMetadata, in data: Data
    ) throws(CoreDataError) -> Data
    /// A position in a file, as messages show it directly after the path.
    func place(of offset: Int, in data: Data) -> String
}

/// Writes a store's file with each save, unless other stores or processes have changed the file.
///
/// To detect a change, it compares the content of the file. Two saves may have the same time stamp,
/// and file systems reuse inode numbers.
final class WholeFileKeeper: MemoryKeeper {
    private let file: WholeFile
    private let known: Mutex<Known>

    private struct Known: Equatable {
        let count: Int
        let checksum: Checksum

        init(_ data: Data) {
            count = data.count
            checksum = Checksum(data)
        }
    }

    /// - Parameter data: the bytes that were read from or written to the file.
    package init(_ file: WholeFile, knowing data: Data) {
        self.file = file
        known = Mutex(Known(data))
    }

    /// Writes the document.
    ///
    /// - Throws: 134030 if other stores or processes have written, replaced or removed the file.
    ///   Nothing is then written.
    package func keep(_ document: MemoryDocument) throws(CoreDataError) {
        let data = try file.format.data(for: document)
        try known.withLock { known throws(CoreDataError) in
            let old = known
            try file.changing { pending throws(CoreDataError) in
                try check(old)
                try pending.replace(with: data, isPrivate: file.isPrivate)
            }
            known = Known(data)
        }
    }

    private func check(_ known: Known) throws(CoreDataError) {
        guard try RegularFile.status(file.path) != nil else {
            throw StoreFile.error(
                .storeSave, file.path,
                "was removed or moved while the store was open. Nothing was"
                    + " written. Put it back and save again, or write the store elsewhere with"
                    + " migratePersistentStore(_:to:options:type:)")
        }
        guard Known(try file.bytes()) != known else { return }
        throw StoreFile.error(
            .storeSave, file.path,
            "has changed since this store last read or wrote it: another coordinator or process has"
                + " written it since. Nothing was written. Remove the store from its coordinator,"
                + " add it again to read the new content, repeat the changes and save")
    }
}
