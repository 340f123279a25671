import CoreData
import Foundation

/// A document that the program reads and saves explicitly, on the main queue.
///
/// This is the part of AppKit's class that needs no windows; see
/// <https://developer.apple.com/documentation/appkit/nsdocument>. ``NSPersistentDocument`` is the
/// subclass whose file is a Core Data store.
@MainActor
open class NSDocument: NSObject {
    private var changeCount = 0
    private var manager: UndoManager?
    private var usesUndo = true
    private let undo = UndoCounting()

    /// The purpose of a save.
    public enum SaveOperationType: UInt, Sendable {
        /// The document is written to its existing location.
        case saveOperation
        /// The document is written to another location, which becomes the document's location.
        case saveAsOperation
        /// A copy is written to another location.
        case saveToOperation
        /// Unsaved changes are written to a separate file next to the document.
        case autosaveElsewhereOperation
        /// The document is written automatically to its existing location.
        case autosaveInPlaceOperation
        /// The document is written automatically to another location, which becomes the document's
        /// location.
        case autosaveAsOperation
    }

    /// A kind of change of a document's content.
    public enum ChangeType: UInt, Sendable {
        /// A change was made.
        case changeDone
        /// A change was undone.
        case changeUndone
        /// The document equals its saved state.
        case changeCleared
        /// The document was created from the content of another document.
        case changeReadOtherContents
        /// The changes were saved to a separate file next to the document.
        case changeAutosaved
        /// A change was redone.
        case changeRedone
    }

    /// Creates a document without content or file.
    public nonisolated override init() { super.init() }

    /// Creates a new document of a type.
    public convenience init(type typeName: String) throws {
        self.init()
        fileType = typeName
    }

    /// Reads a document.
    public convenience init(contentsOf url: URL, ofType typeName: String) throws {
        try self.init(for: url, withContentsOf: url, ofType: typeName)
    }

    /// Reads a document from a file other than the document's own file.
    ///
    /// - Parameter urlOrNil: the document's own file; nil for a document that was never saved.
    public convenience init(
        for urlOrNil: URL?, withContentsOf contentsURL: URL, ofType typeName: String
    ) throws {
        self.init()
        fileType = typeName
        fileURL = urlOrNil
        try read(from: contentsURL, ofType: typeName)
        fileModificationDate = DocumentFiles.modificationDate(of: contentsURL)
        updateChangeCount(urlOrNil == contentsURL ? .changeCleared : .changeReadOtherContents)
    }

    // MARK: Properties

    /// The location of the document; nil before the first save.
    open var fileURL: URL?

    /// The type with which the document was created or read.
    open var fileType: String?

    /// The modification date of the document's file when the document last read or wrote it.
    open var fileModificationDate: Date?

    /// The name that users see: the file's name without its extension, or "Untitled".
    open var displayName: String! {
        get { ownName ?? fileURL?.deletingPathExtension().lastPathComponent ?? "Untitled" }
        set { ownName = newValue }
    }

    private var ownName: String?

    // MARK: Changes

    /// Whether closing the document would lose changes.
    open var isDocumentEdited: Bool { changeCount != 0 }

    /// Counts a change. For an undone change, decrements the count. Groups of the undo manager are
    /// counted automatically.
    open func updateChangeCount(_ change: ChangeType) {
        switch change {
        case .changeDone, .changeRedone, .changeReadOtherContents: changeCount += 1
        case .changeUndone: changeCount -= 1
        case .changeCleared: changeCount = 0
        case .changeAutosaved: break
        }
    }

    /// Whether the document has an undo manager.
    open var hasUndoManager: Bool {
        get { usesUndo }
        set {
            usesUndo = newValue
            if !newValue { undoManager = nil }
        }
    }

    /// The undo manager, created at the first access.
    open var undoManager: UndoManager? {
        get {
            if manager == nil, usesUndo { takeUndoManager(UndoManager()) }
            return manager
        }
        set {
            takeUndoManager(newValue)
            usesUndo = newValue != nil
        }
    }

    private func takeUndoManager(_ taken: UndoManager?) {
        manager = taken
        undo.observe(taken) { [weak self] change in
            switch change {
            case .done: self?.updateChangeCount(.changeDone)
            case .undone: self?.updateChangeCount(.changeUndone)
            case .redone: self?.updateChangeCount(.changeRedone)
            case .cleared: break
            }
        }
    }

    // MARK: Reading

    /// Reads the document; by default, passes the file's bytes to ``read(from:ofType:)-(Data,_)``.
    open func read(from url: URL, ofType typeName: String) throws {
        try read(from: try Data(contentsOf: url), ofType: typeName)
    }

    /// Reads the content from the bytes of the document's file; subclasses must override this
    /// method.
    open func read(from data: Data, ofType typeName: String) throws {
        throw NSDocument.notOverridden("read(from:ofType:)")
    }

    /// Replaces the document's content with the content at a URL.
    open func revert(toContentsOf url: URL, ofType typeName: String) throws {
        try read(from: url, ofType: typeName)
        fileModificationDate = DocumentFiles.modificationDate(of: url)
        undoManager?.removeAllActions()
        updateChangeCount(.changeCleared)
    }

    // MARK: Writing

    /// Saves the document and calls the handler with the error, or with nil if the save succeeded.
    open func save(
        to url: URL, ofType typeName: String, for saveOperation: SaveOperationType,
        completionHandler: @escaping ((any Error)?) -> Void
    ) {
        do {
            try writeSafely(to: url, ofType: typeName, for: saveOperation)
        } catch { return completionHandler(error) }
        switch saveOperation {
        case .saveToOperation, .autosaveElsewhereOperation: updateChangeCount(.changeAutosaved)
        case .saveOperation, .saveAsOperation, .autosaveInPlaceOperation, .autosaveAsOperation:
            fileURL = url
            fileType = typeName
            fileModificationDate = DocumentFiles.modificationDate(of: url)
            updateChangeCount(.changeCleared)
        }
        completionHandler(nil)
    }

    /// Saves the document.
    public final func save(
        to url: URL, ofType typeName: String, for saveOperation: SaveOperationType
    ) async throws {
        try await withCheckedThrowingContinuation {
            (done: CheckedContinuation<Void, any Error>) in
            save(to: url, ofType: typeName, for: saveOperation) { error in
                if let error { done.resume(throwing: error) } else { done.resume() }
            }
        }
    }

    /// Writes the document so that its file is either the old file or the complete new file.
    open func writeSafely(
        to url: URL, ofType typeName: String, for saveOperation: SaveOperationType
    ) throws {
        try DocumentFiles.replacing(url, isNew: false) {
            try write(
                to: $0, ofType: typeName, for: saveOperation, originalContentsURL: fileURL)
        }
    }

    /// Writes the document to a location where no file exists yet.
    open func write(
        to url: URL, ofType typeName: String, for saveOperation: SaveOperationType,
        originalContentsURL absoluteOriginalContentsURL: URL?
    ) throws {
        try write(to: url, ofType: typeName)
    }

    /// Writes the bytes of ``data(ofType:)``.
    open func write(to url: URL, ofType typeName: String) throws {
        try data(ofType: typeName).write(to: url)
    }

    /// Returns the bytes to write to the document's file; subclasses must override this method.
    open func data(ofType typeName: String) throws -> Data {
        throw NSDocument.notOverridden("data(ofType:)")
    }

    /// Closes the document and its files. Unsaved changes are lost.
    open func close() {}

    private static func notOverridden(_ method: String) -> any Error {
        CocoaError(
            .featureUnsupported,
            userInfo: [
                NSLocalizedDescriptionKey: "Override \(method) in a subclass of NSDocument."
            ])
    }
}
