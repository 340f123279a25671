import CoreData
import CoreDataStore
import Foundation

/// A document whose file is a store of Core Data, with a context for the main queue.
///
/// See <https://developer.apple.com/documentation/appkit/nspersistentdocument>. The file is written
/// over by the store's own transactions, so that a process that ends at any time leaves what was
/// saved last.
@MainActor
open class NSPersistentDocument: NSDocument {
    private var context: NSManagedObjectContext?
    /// A store in memory, so that a document that was never saved can be fetched from.
    private var placeholder: NSPersistentStore?

    /// The context, made with a coordinator for ``managedObjectModel`` when it is asked for first.
    ///
    /// Its undo manager is the document's. A context that is set brings its own coordinator.
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

    /// The document's model: all models of the program in one, unless a subclass has another.
    open var managedObjectModel: NSManagedObjectModel? {
        NSManagedObjectModel.mergedModel(from: nil)
    }

    /// Opens the store, or makes it, and adds it to the context's coordinator.
    open func configurePersistentStoreCoordinator(
        for url: URL, ofType fileType: String, modelConfiguration configuration: String?,
        storeOptions: [String: Any]? = nil
    ) throws {
        try coordinator().addPersistentStore(
            ofType: persistentStoreType(forFileType: fileType),
            configurationName: configuration, at: url, options: storeOptions)
    }

    /// The type of the store in a document of a type: SQLite, XML or binary by the type's name,
    /// SQLite for any other.
    open func persistentStoreType(forFileType fileType: String) -> String {
        switch fileType.lowercased() {
        case "xml": NSXMLStoreType
        case "binary": NSBinaryStoreType
        default: NSSQLiteStoreType
        }
    }

    // MARK: What a document does

    /// The undo manager of document and context.
    open override var undoManager: UndoManager? {
        get { super.undoManager }
        set {
            super.undoManager = newValue
            context?.undoManager = newValue
        }
    }

    /// Whether the context has changes, or an action was counted.
    open override var isDocumentEdited: Bool {
        super.isDocumentEdited || context?.hasChanges ?? false
    }

    /// Opens the store at the URL; fails where there is none.
    open override func read(from url: URL, ofType typeName: String) throws {
        guard DocumentFiles.exists(url) else {
            throw DocumentError.error(.fileReadNoSuchFile, url, "is not there")
        }
        try removePlaceholder()
        try configurePersistentStoreCoordinator(
            for: url, ofType: typeName, modelConfiguration: nil, storeOptions: nil)
    }

    /// Forgets all objects and unsaved changes, and opens the store at the URL.
    open override func revert(toContentsOf url: URL, ofType typeName: String) throws {
        guard DocumentFiles.exists(url) else {
            throw DocumentError.error(.fileReadNoSuchFile, url, "is not there")
        }
        managedObjectContext?.reset()
        try removeStores()
        try super.revert(toContentsOf: url, ofType: typeName)
    }

    /// Saves through the store, which needs no file beside the document's.
    open override func writeSafely(
        to url: URL, ofType typeName: String, for saveOperation: SaveOperationType
    ) throws {
        try write(
            to: url, ofType: typeName, for: saveOperation, originalContentsURL: fileURL)
    }

    /// Saves the context, to a new store where the document has none or goes to another place.
    ///
    /// The document that it was is left as it was saved. A new store is not made where there is a
    /// file already: nobody was asked whether to replace it. Copies for others
    /// (`saveToOperation`, `autosaveElsewhereOperation`) are refused, as Core Data does not make
    /// them either.
    open override func write(
        to absoluteURL: URL, ofType typeName: String, for saveOperation: SaveOperationType,
        originalContentsURL absoluteOriginalContentsURL: URL?
    ) throws {
        switch saveOperation {
        case .saveToOperation, .autosaveElsewhereOperation:
            throw DocumentError.error(
                .featureUnsupported, absoluteURL,
                "a persistent document is saved where it is, or as another one")
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

    /// Forgets all objects, and closes the store.
    open override func close() {
        context?.reset()
        // A store of this coordinator can be removed.
        try? removeStores()
        super.close()
    }

    private func coordinator() throws -> NSPersistentStoreCoordinator {
        if let coordinator = managedObjectContext?.persistentStoreCoordinator { return coordinator }
        throw CocoaError(
            .featureUnsupported,
            userInfo: [
                NSLocalizedDescriptionKey: "The document's context has no coordinator; give it one."
            ])
    }

    /// Where that fails, the first use of the store that counts says why.
    private func addPlaceholder() {
        guard fileURL == nil else { return }
        placeholder = try? coordinator().addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    }

    /// Nothing is ever saved to it.
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

    /// Goes on with a copy of the store; its versions are the same, so the way back is open.
    private func move(_ store: NSPersistentStore, to url: URL, _ typeName: String) throws {
        try DocumentFiles.checkFree(url)
        let coordinator = try coordinator()
        guard persistentStoreType(forFileType: typeName) == store.type, let old = store.url else {
            // Rows are written anew in another format.
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

    /// Removes a store that was made here and could not be filled.
    private func removeMade(_ url: URL, _ typeName: String) {
        let remover = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        // What cannot be removed is told by the next save: there is a file already.
        try? remover.destroyPersistentStore(
            at: url, ofType: persistentStoreType(forFileType: typeName))
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }
}
