import CoreDataModel
import Foundation
import Synchronization

/// The one file of a store, read when it is opened and written anew by each save.
struct WholeFile: Sendable {
    package let path: String
    package let format: any WholeFileFormat
    var isPrivate = false
    package var timeoutMilliseconds = 5_000

    // MARK: Reading

    /// The bytes of the file.
    ///
    /// - Throws: 260 for a missing file, 256 for what is no file, and what the file system reports.
    package func bytes() throws(CoreDataError) -> Data { try RegularFile.bytes(path) }

    /// The metadata alone.
    ///
    /// - Throws: 259 for bytes that are no file of the format.
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
            "The file \(path)\(place) is no \(format.type) store or damaged: \(finding.text);"
                + " restore it from a copy",
            info: ["NSFilePath": path, "reason": finding.text])
    }

    // MARK: Writing

    /// Makes the file of a new store; nil where somebody else has just made one.
    package func create(_ document: MemoryDocument) throws(CoreDataError) -> WholeFileKeeper? {
        let data = try format.data(for: document)
        return try changing { pending throws(CoreDataError) in
            guard try RegularFile.status(path) == nil else { return nil }
            try pending.replace(with: data, isPrivate: isPrivate)
            return WholeFileKeeper(self, knowing: data)
        }
    }

    /// Replaces the program's own values in the metadata.
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

    /// Puts another store's bytes in the place of the file's, which may be missing.
    package func replace(by source: WholeFile) throws(CoreDataError) {
        let data = try source.bytes()
        try source.verify(data)
        try changing { pending throws(CoreDataError) in
            try pending.replace(with: data, isPrivate: isPrivate)
        }
    }

    /// Removes the file.
    package func remove() throws(CoreDataError) {
        guard try RegularFile.status(path) != nil else { return }
        try changing { pending throws(CoreDataError) in try pending.remove() }
    }

    /// What is read from the whole file must be right before anything is made of it.
    private func verify(_ data: Data) throws(CoreDataError) {
        do throws(FileFinding) { try format.verify(data) } catch { throw damaged(error, data) }
    }

    fileprivate func changing<T>(
        _ body: (inout PendingFile) throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        try PendingFile.hold(path, timeoutMilliseconds: timeoutMilliseconds, body)
    }
}

/// A way to write a whole store into one file.
protocol WholeFileFormat: Sendable {
    /// The store type that files of the format have.
    var type: String { get }
    /// Whether bytes begin as a file of the format does.
    func claims(_ data: Data) -> Bool
    /// - Throws: 134030 for a value that the format cannot hold.
    func data(for document: MemoryDocument) throws(CoreDataError) -> Data
    func document(
        from data: Data, layout: ModelLayout
    ) throws(FileFinding) -> MemoryDocument
    /// The metadata alone; of the rest only that it is there.
    func metadata(from data: Data) throws(FileFinding) -> MemoryMetadata
    /// Looks at everything that can be looked at without a model.
    func verify(_ data: Data) throws(FileFinding)
    /// The same file with other metadata.
    func replacing(
        _ metadata: MemoryMetadata, in data: Data
    ) throws(CoreDataError) -> Data
    /// A place in a file as messages name it, right behind the path.
    func place(of offset: Int, in data: Data) -> String
}

/// Writes a store's file with each save, as long as it is the one that the store knows.
///
/// Made when a store is opened to be written. What the file holds tells whether it is the same:
/// two saves may fall into one tick of the file system's clock, and the number of a file is used
/// again.
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

    /// - Parameter data: what was read from the file or written into it.
    package init(_ file: WholeFile, knowing data: Data) {
        self.file = file
        known = Mutex(Known(data))
    }

    /// Writes the document.
    ///
    /// - Throws: 134030 when somebody else has written, replaced or removed the file; it is then as
    ///   it was.
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
                "is gone: somebody removed or moved it while the store was open. Nothing was"
                    + " written. Put it back and save again, or write the store elsewhere with"
                    + " migratePersistentStore(_:to:options:type:)")
        }
        guard Known(try file.bytes()) != known else { return }
        throw StoreFile.error(
            .storeSave, file.path,
            "is not the one that this store read or wrote last: another coordinator or process has"
                + " written it since. Nothing was written. Remove the store from its coordinator,"
                + " add it again to read what the other wrote, make the changes again and save")
    }
}
