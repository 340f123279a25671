import CoreData
import CoreDataStore
import Foundation

/// A document whose file is a store of Core Data, with a context for the main queue.
///
/// See <https://developer.apple.com/documentation/appkit/nspersistentdocument>. The store's own
/// transactions update the file, so the last saved state survives the end of the process at any
/// time.
@MainActor
open class NSPersistentDocument: NSDocument {
    private var context: NSManagedObjectContext?
    /// The in-memory store of a document that was never saved. With it, the document supports
    /// fetches.
    private var placeholder: NSPersistentStore?

    /// The context, created at the first access with a coordinator for ``managedObjectModel``.
    ///
    /// The context's undo manager is the document's. A context that a program sets keeps its own
    /// coordinator.
    open var managedObjectContext: NSManagedObjectContext? {
        get {
            if let context { return context }
            let made = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            made.persistentStoreCoordinator = NSPersistentStoreCoordinator(
                managedObjectModel: managedObjectModel ?? NSManagedObjectModel())
            made.undoManager = undoManager
            context = made
            addPlaceholder()
            return made
        }
        set {
            context = newValue
            newValue?.undoManager = undoManager
        }
    }

    /// The document's model: the merged model of the program, unless a subclass returns another
    /// model.
    open var managedObjectModel: NSManagedObjectModel? {
        NSManagedObjectModel.mergedModel(from: nil)
    }

    /// Opens or creates the store and adds it to the context's coordinator.
    open func configurePersistentStoreCoordinator(
        for url: URL, ofType fileType: String, modelConfiguration configuration: String?,
        storeOptions: [String: Any]? = nil
    ) throws {
        try coordinator().addPersistentStore(
            ofType: persistentStoreType(forFileType: fileType),
            configurationName: configuration, at: url, options: storeOptions)
    }

    /// The store type for a document of this file type: XML for "xml", binary for "binary",
    /// otherwise SQLite.
    open func persistentStoreType(forFileType fileType: String) -> String {
        switch fileType.lowercased() {
        case "xml": NSXMLStoreType
        case "binary": NSBinaryStoreType
        default: NSSQLiteStoreType
        }
    }

    // MARK: Overrides of NSDocument

    /// The undo manager of the document and its context.
    open override var undoManager: UndoManager? {
        get { super.undoManager }
        set {
            super.undoManager = newValue
            context?.undoManager = newValue
        }
    }

    /// Whether the context has changes, or the change count is not zero.
    open override var isDocumentEdited: Bool {
        super.isDocumentEdited || context?.hasChanges ?? false
    }

    /// Opens the store at the URL; fails if the store does not exist.
    open override func read(from url: URL, ofType typeName: String) throws {
        guard DocumentFiles.exists(url) else {
            throw DocumentError.error(
                .fileReadNoSuchFile, url, "does not exist; use the URL of a saved document")
        }
        try removePlaceholder()
        try configurePersistentStoreCoordinator(
            for: url, ofType: typeName, modelConfiguration: nil, storeOptions: nil)
    }

    /// Resets the context, which discards unsaved changes, and opens the store at the URL.
    open override func revert(toContentsOf url: URL, ofType typeName: String) throws {
        guard DocumentFiles.exists(url) else {
            throw DocumentError.error(
                .fileReadNoSuchFile, url, "does not exist; use the URL of a saved document")
        }
        managedObjectContext?.reset()
        try removeStores()
        try super.revert(toContentsOf: url, ofType: typeName)
    }

    /// Saves directly into the document's file, because the store's transactions make the save
    /// safe.
    open override func writeSafely(
        to url: URL, ofType typeName: String, for saveOperation: SaveOperationType
    ) throws {
        try write(
            to: url, ofType: typeName, for: saveOperation, originalContentsURL: fileURL)
    }

    /// Saves the context. If the document has no store, or moves to another location, the save
    /// creates a new store.
    ///
    /// The store at the former location keeps its last saved state. A new store never replaces an
    /// existing file, because this class does not ask the user. Copies (`saveToOperation`,
    /// `autosaveElsewhereOperation`) are refused, as Core Data refuses them.
    open override func write(
        to absoluteURL: URL, ofType typeName: String, for saveOperation: SaveOperationType,
        originalContentsURL absoluteOriginalContentsURL: URL?
    ) throws {
        switch saveOperation {
        case .saveToOperation, .autosaveElsewhereOperation:
            throw DocumentError.error(
                .featureUnsupported, absoluteURL,
                "a persistent document does not save copies; use saveOperation or saveAsOperation")
        case .saveOperation, .saveAsOperation, .autosaveInPlaceOperation, .autosaveAsOperation:
            break
        }
        let coordinator = try coordinator()
        guard let store = coordinator.persistentStores.first(where: { $0 !== placeholder }) else {
            return try make(at: absoluteURL, typeName)
        }
        if store.url?.standardizedFileURL == absoluteURL.standardizedFileURL {
            if let context, context.hasChanges { try context.save() }
        } else {
            try move(store, to: absoluteURL, typeName)
        }
    }

    /// Resets the context and closes the store.
    open override func close() {
        context?.reset()
        // This cannot fail, because the stores belong to this coordinator.
        try? removeStores()
        super.close()
    }

    private func coordinator() throws -> NSPersistentStoreCoordinator {
        if let coordinator = managedObjectContext?.persistentStoreCoordinator { return coordinator }
        throw CocoaError(
            .featureUnsupported,
            userInfo: [
                NSLocalizedDescriptionKey: "The document's context has no coordinator; set one."
            ])
    }

    /// Adds an in-memory store to an unsaved document. If this fails, the first operation that
    /// needs the store reports the reason.
    private func addPlaceholder() {
        guard fileURL == nil else { return }
        placeholder = try? coordinator().addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    }

    private func removePlaceholder() throws {
        let coordinator = try coordinator()
        if let placeholder { try coordinator.remove(placeholder) }
        placeholder = nil
    }

    private func removeStores() throws {
        let coordinator = try coordinator()
        placeholder = nil
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private func make(at url: URL, _ typeName: String) throws {
        try DocumentFiles.checkFree(url)
        do {
            try removePlaceholder()
            try configurePersistentStoreCoordinator(
                for: url, ofType: typeName, modelConfiguration: nil, storeOptions: nil)
            if let context, context.hasChanges { try context.save() }
        } catch {
            try removeStores()
            removeMade(url, typeName)
            addPlaceholder()
            throw error
        }
    }

    /// Copies the store, and uses the copy from then on. The copy has the same row versions, so the
    /// document can return to the original store if the save fails.
    private func move(_ store: NSPersistentStore, to url: URL, _ typeName: String) throws {
        try DocumentFiles.checkFree(url)
        let coordinator = try coordinator()
        guard persistentStoreType(forFileType: typeName) == store.type, let old = store.url else {
            // A store of another type is migrated, which writes all rows again.
            _ = try coordinator.migratePersistentStore(
                store, to: url, options: store.options,
                withType: persistentStoreType(forFileType: typeName))
            if let context, context.hasChanges { try context.save() }
            return
        }
        let copier = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        try copier.replacePersistentStore(
            at: url, withPersistentStoreFrom: old, ofType: store.type)
        let copy = try coordinator.relocate(store, to: url) {}
        do {
            if let context, context.hasChanges { try context.save() }
        } catch {
            try coordinator.relocate(copy, to: old) {}
            removeMade(url, typeName)
            throw error
        }
    }

    /// Removes the files of a new store whose content could not be written.
    private func removeMade(_ url: URL, _ typeName: String) {
        let remover = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        // If a file remains, the next save fails with an error, because the file exists.
        try? remover.destroyPersistentStore(
            at: url, ofType: persistentStoreType(forFileType: typeName))
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }
}
