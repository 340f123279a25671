import CoreData
import CoreDataTrace
import Foundation
import Synchronization

/// A document whose content is a store of Core Data, with a context for the main queue.
///
/// See <https://developer.apple.com/documentation/uikit/uimanageddocument>. The document is a
/// folder with the store `StoreContent/persistentStore` and, if a subclass uses it, the folder
/// `AdditionalContent`.
///
/// Work in ``managedObjectContext`` and let the document save. If you save the context yourself,
/// the changes reach only its parent, a private-queue context that is connected to the coordinator.
///
/// Contexts for imports may be children of the parent. Their changes are saved with the document,
/// but are not merged into the main context automatically.
///
/// The parent keeps all objects that were read through it until the document is closed. So a save
/// that would overwrite changes of another document fails with a merge error.
///
/// A save of the store is one transaction. A new document is written next to its location, and
/// moved there when it is complete. So a process that ends at any time leaves the last saved state.
@MainActor
open class UIManagedDocument: UIDocument {
    private nonisolated let made = Mutex<DocumentStack?>(nil)
    private var options: [AnyHashable: Any]?
    private var configuration: String?

    /// Creates a closed document with its contexts; no file is touched.
    ///
    /// Reads ``managedObjectModel``, once.
    public override init(fileURL url: URL) {
        super.init(fileURL: url)
        let stack = DocumentStack(model: managedObjectModel)
        made.withLock { $0 = stack }
        undoManager = UndoManager()
        stack.main.undoManager = undoManager
    }

    nonisolated final var stack: DocumentStack {
        guard let stack = made.withLock({ $0 }) else {
            trap("the document has no stack, although its initializer creates one")
        }
        return stack
    }

    // MARK: The stack

    /// The name of the store's file: `persistentStore`.
    open nonisolated class var persistentStoreName: String { "persistentStore" }

    /// The context for the main queue; its parent has a private queue.
    public nonisolated final var managedObjectContext: NSManagedObjectContext { stack.main }

    /// The document's model: the merged model of the program, unless a subclass returns another
    /// model.
    ///
    /// Read once, by ``init(fileURL:)``.
    open var managedObjectModel: NSManagedObjectModel {
        if let stack = made.withLock({ $0 }) { return stack.coordinator.managedObjectModel }
        return NSManagedObjectModel.mergedModel(from: nil) ?? NSManagedObjectModel()
    }

    /// The options with which the store is opened, including those for a migration.
    open var persistentStoreOptions: [AnyHashable: Any]? {
        get { options }
        set { options = newValue }
    }

    /// The model configuration of the store; nil for all entities.
    open var modelConfiguration: String? {
        get { configuration }
        set { configuration = newValue }
    }

    /// Opens or creates the store, and adds it to the coordinator, on the parent's queue.
    ///
    /// An override may add further stores. Stores in the document's folder move with the document.
    open nonisolated func configurePersistentStoreCoordinator(
        for storeURL: URL, ofType fileType: String, modelConfiguration configuration: String?,
        storeOptions: [AnyHashable: Any]? = nil
    ) throws {
        try stack.coordinator.addPersistentStore(
            ofType: persistentStoreType(forFileType: fileType),
            configurationName: configuration, at: storeURL, options: storeOptions)
    }

    /// The store type for a document of this file type: SQLite.
    open nonisolated func persistentStoreType(forFileType fileType: String) -> String {
        NSSQLiteStoreType
    }

    // MARK: Additional content

    /// Reads the additional content, on the document's own queue, when the document is opened.
    ///
    /// - Parameter absoluteURL: the folder `AdditionalContent`. The method is not called if the
    ///   folder does not exist.
    open nonisolated func readAdditionalContent(from absoluteURL: URL) throws {}

    /// Returns the additional content to write; called on the main queue at each save.
    ///
    /// - Parameter absoluteURL: the location of the document.
    /// - Returns: a value that ``writeAdditionalContent(_:to:originalContentsURL:)`` accepts;
    ///   `NSNull()`, the default, leaves the existing content unchanged.
    open func additionalContent(for absoluteURL: URL) throws -> Any { NSNull() }

    /// Writes the additional content, on the document's own queue.
    ///
    /// - Parameters:
    ///   - absoluteURL: an empty folder, which becomes `AdditionalContent` right after the store's
    ///     transaction. If the process ends between the transaction and this step, the content of
    ///     the previous save remains.
    ///   - absoluteOriginalContentsURL: the folder that the new one will replace; unchanged files
    ///     can be copied from it.
    open nonisolated func writeAdditionalContent(
        _ content: Any, to absoluteURL: URL, originalContentsURL absoluteOriginalContentsURL: URL?
    ) throws {}

    // MARK: Overrides of UIDocument

    /// The main context's undo manager; nil for a document without undo.
    open override var undoManager: UndoManager! {
        didSet { made.withLock({ $0 })?.main.undoManager = undoManager }
    }

    /// Whether one of the two contexts has changes that are not in the store, or the change count
    /// is not zero.
    open override var hasUnsavedChanges: Bool {
        super.hasUnsavedChanges || stack.main.hasChanges || stack.isUnsaved
    }

    /// Saves the main context into its parent and reads the additional content.
    open override func contents(forType typeName: String) throws -> Any {
        if stack.main.hasChanges { try stack.main.save() }
        return DocumentContents(additional: try additionalContent(for: fileURL))
    }

    /// Opens the store and reads the additional content.
    open nonisolated override func read(from url: URL) throws {
        try open(at: url)
    }

    /// Saves the parent in one transaction and moves the additional content to its location.
    open nonisolated override func writeContents(
        _ contents: Any, andAttributes additionalFileAttributes: [AnyHashable: Any]?,
        safelyTo url: URL, for saveOperation: SaveOperation
    ) throws {
        try write(contents, to: url, for: saveOperation)
        try DocumentFiles.set(additionalFileAttributes, of: url)
    }

    override func closeContent() async throws {
        stack.main.reset()
        let stack = stack
        try await inBackground {
            let place = stack.place
            try stack.close()
            // The folder is still a draft, because it could not be moved to the document's
            // location.
            if case .unplaced(let draft) = place { draft.remove() }
        }
    }

    override func reload(from url: URL) async throws {
        try package(url).checkThere()
        stack.main.reset()
        let own = fileURL
        try await inBackground {
            try self.stack.close()
            if url.standardizedFileURL != own.standardizedFileURL {
                try self.copyContents(of: url, to: own)
            }
            try self.open(at: own)
        }
    }

    override func states(of error: any Error) -> State {
        var states: State = []
        if (error as NSError).code == NSManagedObjectMergeError { states.insert(.inConflict) }
        if case .nowhere = stack.place { states.insert(.closed) }
        return states
    }
}
