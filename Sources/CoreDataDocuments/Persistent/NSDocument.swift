import CoreData
import Foundation

/// A document that is read and written by its owner's call, on the main queue.
///
/// The part of AppKit's class that needs no windows; see
/// <https://developer.apple.com/documentation/appkit/nsdocument>. For documents over Core Data
/// there is ``NSPersistentDocument``.
@MainActor
open class NSDocument: NSObject {
    private var changeCount = 0
    private var manager: UndoManager?
    private var usesUndo = true
    private let undo = UndoCounting()

    /// What a save is for.
    public enum SaveOperationType: UInt, Sendable {
        /// The document is written where it is.
        case saveOperation
        /// The document is written elsewhere, and is there from then on.
        case saveAsOperation
        /// A copy is written elsewhere.
        case saveToOperation
        /// Unsaved changes are kept beside the document.
        case autosaveElsewhereOperation
        /// The document is written where it is, by itself.
        case autosaveInPlaceOperation
        /// The document is written elsewhere by itself, and is there from then on.
        case autosaveAsOperation
    }

    /// What happened to a document's content.
    public enum ChangeType: UInt, Sendable {
        /// A change was made.
        case changeDone
        /// A change was taken back.
        case changeUndone
        /// The document is as it was saved.
        case changeCleared
        /// The document was made from another one's content.
        case changeReadOtherContents
        /// The changes were saved beside the document.
        case changeAutosaved
        /// A change that was taken back was made again.
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

    /// Reads a document from another file than its own.
    ///
    /// - Parameter urlOrNil: the document's own; nil for one that was never saved.
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

    // MARK: What it is

    /// Where the document is; nil before the first save.
    open var fileURL: URL?

    /// The type that the document was made or read with.
    open var fileType: String?

    /// When the document's file was changed last, as far as the document knows.
    open var fileModificationDate: Date?

    /// The name for users: that of the file without its extension, or "Untitled".
    open var displayName: String! {
        get { ownName ?? fileURL?.deletingPathExtension().lastPathComponent ?? "Untitled" }
        set { ownName = newValue }
    }

    private var ownName: String?

    // MARK: Changes

    /// Whether anything would be lost if the document were closed.
    open var isDocumentEdited: Bool { changeCount != 0 }

    /// Counts a change, or takes one back; the undo manager's groups are counted by themselves.
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

    /// The undo manager, made when it is asked for first.
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

    /// Reads the document; the file's bytes go to ``read(from:ofType:)-(Data,_)`` by default.
    open func read(from url: URL, ofType typeName: String) throws {
        try read(from: try Data(contentsOf: url), ofType: typeName)
    }

    /// Takes over the bytes of the document's file; for a subclass to override.
    open func read(from data: Data, ofType typeName: String) throws {
        throw NSDocument.notOverridden("read(from:ofType:)")
    }

    /// Puts what is at a URL in the place of the document's content.
    open func revert(toContentsOf url: URL, ofType typeName: String) throws {
        try read(from: url, ofType: typeName)
        fileModificationDate = DocumentFiles.modificationDate(of: url)
        undoManager?.removeAllActions()
        updateChangeCount(.changeCleared)
    }

    // MARK: Writing

    /// Saves the document and tells the handler when that is done, or what was wrong.
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

    /// Writes the document so that its file is the old one or the new one.
    open func writeSafely(
        to url: URL, ofType typeName: String, for saveOperation: SaveOperationType
    ) throws {
        try DocumentFiles.replacing(url, isNew: false) {
            try write(
                to: $0, ofType: typeName, for: saveOperation, originalContentsURL: fileURL)
        }
    }

    /// Writes the document where nothing is yet.
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

    /// The bytes of the document's file; for a subclass to override.
    open func data(ofType typeName: String) throws -> Data {
        throw NSDocument.notOverridden("data(ofType:)")
    }

    /// Lets go of what the document has open; unsaved changes are lost.
    open func close() {}

    private static func notOverridden(_ method: String) -> any Error {
        CocoaError(
            .featureUnsupported,
            userInfo: [
                NSLocalizedDescriptionKey: "A subclass of NSDocument overrides \(method)."
            ])
    }
}
