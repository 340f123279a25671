import CoreData
import Foundation

/// The operations of a document. ``UIDocument`` runs them one after the other.
extension UIDocument {
    func openNow() async -> Bool {
        guard documentState.contains(.closed) else { return true }
        let url = fileURL
        do {
            try await inBackground { try self.read(from: url) }
        } catch {
            handleError(error, userInteractionPermitted: true)
            return false
        }
        opened(at: url)
        return true
    }

    private func opened(at url: URL) {
        note(url: url)
        updateChangeCount(.cleared)
        changeState { $0 = .normal }
        startTimer()
    }

    func closeNow() async -> Bool {
        guard !documentState.contains(.closed) else { return true }
        if hasUnsavedChanges {
            let isSaved = await withCheckedContinuation { continuation in
                autosave { continuation.resume(returning: $0) }
            }
            guard isSaved else { return false }
        }
        stopTimer()
        do { try await closeContent() } catch {
            startTimer()
            handleError(error, userInteractionPermitted: false)
            return false
        }
        undoManager?.removeAllActions()
        updateChangeCount(.cleared)
        changeState { $0 = .closed }
        return true
    }

    func saveNow(to url: URL, for operation: SaveOperation) async -> Bool {
        do {
            // The content is read before the token, because reading may close an undo group, which
            // changes the change count.
            let contents = Handed(try contents(forType: savingFileType ?? ""))
            let token = changeCountToken(for: operation)
            let attributes = Handed(try fileAttributesToWrite(to: url, for: operation))
            try await inBackground {
                try self.writeContents(
                    contents.value, andAttributes: attributes.value, safelyTo: url, for: operation)
            }
            updateChangeCount(withToken: token, for: operation)
        } catch {
            let more = states(of: error)
            changeState { $0.formUnion(more.union(.savingError)) }
            handleError(error, userInteractionPermitted: true)
            return false
        }
        note(url: url)
        let isFirst = documentState.contains(.closed)
        changeState { $0.subtract([.savingError, .inConflict, .closed]) }
        if isFirst { startTimer() }
        return true
    }

    func revertNow(to url: URL) async -> Bool {
        disableEditing()
        changeState { $0.insert(.editingDisabled) }
        defer {
            changeState { $0.remove(.editingDisabled) }
            enableEditing()
        }
        do { try await reload(from: url) } catch {
            let more = states(of: error)
            changeState { $0.formUnion(more.union(.savingError)) }
            handleError(error, userInteractionPermitted: true)
            return false
        }
        note(url: fileURL)
        undoManager?.removeAllActions()
        updateChangeCount(.cleared)
        changeState { $0.subtract([.savingError, .inConflict, .closed]) }
        return true
    }

    func inBackground(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            performAsynchronousFileAccess { continuation.resume(with: Result { try body() }) }
        }
    }
}

/// The operations of a document as async methods.
extension UIDocument {
    /// Opens the document; see ``open(completionHandler:)``.
    @discardableResult
    public final func open() async -> Bool {
        await withCheckedContinuation { done in open { done.resume(returning: $0) } }
    }

    /// Saves unsaved changes and closes the document; see ``close(completionHandler:)``.
    @discardableResult
    public final func close() async -> Bool {
        await withCheckedContinuation { done in close { done.resume(returning: $0) } }
    }

    /// Saves the document; see ``save(to:for:completionHandler:)``.
    @discardableResult
    public final func save(to url: URL, for saveOperation: SaveOperation) async -> Bool {
        await withCheckedContinuation { done in
            save(to: url, for: saveOperation) { done.resume(returning: $0) }
        }
    }

    /// Saves unsaved changes at the document's location; see ``autosave(completionHandler:)``.
    @discardableResult
    public final func autosave() async -> Bool {
        await withCheckedContinuation { done in autosave { done.resume(returning: $0) } }
    }

    /// Replaces the document's content; see ``revert(toContentsOf:completionHandler:)``.
    @discardableResult
    public final func revert(toContentsOf url: URL) async -> Bool {
        await withCheckedContinuation { done in
            revert(toContentsOf: url) { done.resume(returning: $0) }
        }
    }
}
