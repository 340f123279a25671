import CoreData
import Foundation

/// Reads and writes a document's folder, on the document's own queue.
extension UIManagedDocument {
    nonisolated func package(_ folder: URL) -> DocumentPackage {
        DocumentPackage(folder: folder, storeName: type(of: self).persistentStoreName)
    }

    nonisolated func open(at url: URL) throws {
        let package = package(url)
        DocumentDraft.sweep(beside: url)
        try package.checkThere()
        let settings = try settings()
        do {
            try configure(package, settings)
            if DocumentFiles.isFolder(package.additional) {
                try readAdditionalContent(from: package.additional)
            }
        } catch {
            stack.dropStores()
            throw error
        }
        stack.place = .at(url)
    }

    nonisolated func write(
        _ contents: Any, to url: URL, for operation: SaveOperation
    ) throws {
        guard let contents = contents as? DocumentContents else {
            throw DocumentError.error(
                .fileWriteUnknown, url,
                "contents(forType:) returned another object; call super and return its result"
            )
        }
        switch stack.place {
        case .at(let own) where own.standardizedFileURL == url.standardizedFileURL:
            try overwrite(package(own), contents)
        case .at(let own):
            try checkFree(url, operation)
            try copy(from: own, to: url, contents, operation)
        case .unplaced(let draft):
            try checkFree(url, operation)
            try overwrite(package(draft.place), contents)
            try moveIn(draft, url, operation)
        case .nowhere where operation == .forOverwriting:
            throw DocumentError.error(
                .fileWriteUnknown, url,
                "is not open, so it cannot be overwritten; open it, or save it with forCreating")
        case .nowhere:
            try checkFree(url, operation)
            try create(at: url, contents)
        }
    }

    private nonisolated func checkFree(_ url: URL, _ operation: SaveOperation) throws {
        if operation == .forCreating { try DocumentFiles.checkFree(url) }
    }

    private nonisolated func settings() throws -> StoreSettings {
        try onMainQueue {
            StoreSettings(options: persistentStoreOptions, configuration: modelConfiguration)
        }
    }

    private nonisolated func configure(
        _ package: DocumentPackage, _ settings: StoreSettings
    ) throws {
        try stack.onParent {
            try configurePersistentStoreCoordinator(
                for: package.store, ofType: fileType ?? "",
                modelConfiguration: settings.configuration, storeOptions: settings.options)
        }
    }

    // MARK: Overwriting

    private nonisolated func overwrite(
        _ package: DocumentPackage, _ contents: DocumentContents
    ) throws {
        let pending = package.pendingAdditional
        // A process that ended during a save may have left this folder.
        try? FileManager.default.removeItem(at: pending)
        defer { try? FileManager.default.removeItem(at: pending) }
        if contents.hasAdditional {
            try write(
                contents, to: pending,
                original: DocumentFiles.isFolder(package.additional) ? package.additional : nil)
        }
        try stack.onParent { try stack.save() }
        if contents.hasAdditional {
            try DocumentFiles.put(pending, at: package.additional, isNew: false)
        }
    }

    private nonisolated func write(
        _ contents: DocumentContents, to folder: URL, original: URL?
    ) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try writeAdditionalContent(
            contents.additional, to: folder, originalContentsURL: original)
    }

    // MARK: Creating

    private nonisolated func create(at url: URL, _ contents: DocumentContents) throws {
        let draft = try DocumentDraft(beside: url)
        let package = package(draft.place)
        let settings = try settings()
        do {
            try package.make()
            try configure(package, settings)
            try fill(package, contents, original: nil)
        } catch {
            stack.dropStores()
            draft.remove()
            throw error
        }
        stack.place = .unplaced(draft)
        try moveIn(draft, url, .forCreating)
    }

    /// Writes the whole document into the folder of a draft. The store comes last: if another part
    /// fails, the context's changes are still unsaved.
    private nonisolated func fill(
        _ package: DocumentPackage, _ contents: DocumentContents, original: URL?
    ) throws {
        if contents.hasAdditional {
            try write(contents, to: package.additional, original: original)
        } else if let original {
            try FileManager.default.copyItem(at: original, to: package.additional)
        }
        try stack.onParent { try stack.save() }
    }

    /// Copies the document to another location and uses the copy from then on. The document at the
    /// old location is unchanged.
    private nonisolated func copy(
        from own: URL, to url: URL, _ contents: DocumentContents, _ operation: SaveOperation
    ) throws {
        let old = package(own)
        let draft = try DocumentDraft(beside: url)
        let package = package(draft.place)
        var isMoved = false
        do {
            try package.make()
            try stack.onParent {
                try stack.copyStores(from: own, to: package.folder)
                try stack.relocate(from: own, to: package.folder) {}
            }
            isMoved = true
            try fill(
                package, contents,
                original: DocumentFiles.isFolder(old.additional) ? old.additional : nil)
        } catch {
            if isMoved {
                try stack.onParent { try stack.relocate(from: package.folder, to: own) {} }
            }
            draft.remove()
            throw error
        }
        stack.place = .unplaced(draft)
        try moveIn(draft, url, operation)
    }

    /// Moves a complete folder to its location, and removes the folder that was previously at that
    /// location.
    private nonisolated func moveIn(
        _ draft: DocumentDraft, _ url: URL, _ operation: SaveOperation
    ) throws {
        let place = draft.place
        try stack.onParent {
            try stack.relocate(from: place, to: url) {
                try DocumentFiles.put(place, at: url, isNew: operation == .forCreating)
            }
        }
        stack.place = .at(url)
        // If the folders were exchanged, the draft's folder now contains the former document.
        draft.remove()
    }

    // MARK: Reverting

    /// Replaces the content of this document with the content of another. The stores of this
    /// document must be closed.
    nonisolated func copyContents(of source: URL, to own: URL) throws {
        let (other, package) = (package(source), package(own))
        let copier = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        try copier.replacePersistentStore(
            at: package.store, withPersistentStoreFrom: other.store,
            ofType: persistentStoreType(forFileType: fileType ?? ""))
        let pending = package.pendingAdditional
        try? FileManager.default.removeItem(at: pending)
        defer { try? FileManager.default.removeItem(at: pending) }
        if DocumentFiles.isFolder(other.additional) {
            try FileManager.default.copyItem(at: other.additional, to: pending)
            try DocumentFiles.put(pending, at: package.additional, isNew: false)
        } else {
            try? FileManager.default.removeItem(at: package.additional)
        }
    }
}
