import CoreData
import CoreDataTrace
import Dispatch
import Foundation
import Synchronization

/// A document that opens, saves by itself and closes, with its file work off the main queue.
///
/// The part of Apple's class that does not need its platforms; see
/// <https://developer.apple.com/documentation/uikit/uidocument>. A subclass overrides
/// ``contents(forType:)`` and ``load(fromContents:ofType:)``; for documents over Core Data there is
/// ``UIManagedDocument``. A document belongs to the main actor, so somebody must drain the main
/// queue. Its operations run one after the other, in the order in which they were begun, and call
/// their completion handlers on the main queue.
@MainActor
open class UIDocument: NSObject {
    private nonisolated let facts: Mutex<Facts>
    private nonisolated let files = DispatchQueue(label: "document")
    private var last: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    private var changeCount = 0
    private let undo = UndoCounting()
    private var state: State = .closed

    /// The document whose operation the running task is a part of.
    @TaskLocal private static var running: ObjectIdentifier?

    /// What every queue may ask for.
    private struct Facts {
        var url: URL
        var modified: Date?
    }

    /// Creates a closed document; nothing is read.
    ///
    /// - Parameter url: where the document is, or is to be made.
    public init(fileURL url: URL) {
        facts = Mutex(Facts(url: url))
        super.init()
    }

    isolated deinit { timer?.cancel() }

    // MARK: What it is

    /// Where the document is.
    public nonisolated final var fileURL: URL { facts.withLock { $0.url } }

    /// When the document's file was changed last, as far as this document knows.
    open nonisolated var fileModificationDate: Date? {
        get { facts.withLock { $0.modified } }
        set { facts.withLock { $0.modified = newValue } }
    }

    /// The name for users: that of the file, without its extension.
    open nonisolated var localizedName: String {
        fileURL.deletingPathExtension().lastPathComponent
    }

    /// The type of the document's file: its extension, because there are no uniform types here.
    open nonisolated var fileType: String? {
        let type = fileURL.pathExtension
        return type.isEmpty ? nil : type
    }

    /// The type that a save writes.
    open nonisolated var savingFileType: String? { fileType }

    /// The extension of files of a type: the type itself.
    open nonisolated func fileNameExtension(
        forType typeName: String?, saveOperation: SaveOperation
    ) -> String { typeName ?? "" }

    /// What the document is in; ``stateChangedNotification`` tells of changes.
    public final var documentState: State { state }

    // MARK: Opening and closing

    /// Opens the document, reading its file on the document's own queue.
    ///
    /// The document is ``State/normal`` then. Where it fails
    /// ``handleError(_:userInteractionPermitted:)`` is told and the document stays closed; opening
    /// an open document succeeds and reads nothing.
    ///
    /// - Parameter completionHandler: told whether the document is open.
    open func open(completionHandler: ((Bool) -> Void)? = nil) {
        operate(completionHandler) { await self.openNow() }
    }

    /// Saves what is unsaved and closes the document.
    ///
    /// A document whose changes cannot be saved stays open with them: take them back, or try again.
    ///
    /// - Parameter completionHandler: told whether the document was saved and closed.
    open func close(completionHandler: ((Bool) -> Void)? = nil) {
        operate(completionHandler) { await self.closeNow() }
    }

    /// Puts what is at a URL in the place of the document's content, unsaved changes too.
    ///
    /// Editing is disabled meanwhile.
    ///
    /// - Parameter completionHandler: told whether the document has that content.
    open func revert(toContentsOf url: URL, completionHandler: ((Bool) -> Void)? = nil) {
        operate(completionHandler) { await self.revertNow(to: url) }
    }

    // MARK: Saving

    /// Saves the document: its content as it is on the main queue, written on its own queue.
    ///
    /// - Parameters:
    ///   - url: where to, most often ``fileURL``; another one is the document's own after that.
    ///   - saveOperation: `forCreating` refuses a URL where there is something already.
    ///   - completionHandler: told whether the document is saved.
    open func save(
        to url: URL, for saveOperation: SaveOperation, completionHandler: ((Bool) -> Void)? = nil
    ) {
        operate(completionHandler) { await self.saveNow(to: url, for: saveOperation) }
    }

    /// Saves the document where it is, if it has unsaved changes.
    ///
    /// - Parameter completionHandler: told whether the document has no unsaved changes any more.
    open func autosave(completionHandler: ((Bool) -> Void)? = nil) {
        guard hasUnsavedChanges else {
            operate(completionHandler) { true }
            return
        }
        save(to: fileURL, for: .forOverwriting, completionHandler: completionHandler)
    }

    /// How long an open document waits before it looks for changes to save; 15 seconds.
    ///
    /// Apple's class has no such property, nor is its interval documented.
    public final var autosavingInterval: Duration = .seconds(15) {
        didSet { if timer != nil { startTimer() } }
    }

    /// Whether anything would be lost if the document were closed without saving.
    open var hasUnsavedChanges: Bool { changeCount != 0 }

    /// Counts a change, or takes one back.
    ///
    /// An undo manager's groups are counted by the document itself.
    open func updateChangeCount(_ change: ChangeKind) {
        switch change {
        case .done, .redone: changeCount += 1
        case .undone: changeCount -= 1
        case .cleared: changeCount = 0
        }
    }

    /// What tells a later call of ``updateChangeCount(withToken:for:)`` which changes were saved.
    open func changeCountToken(for saveOperation: SaveOperation) -> Any { changeCount }

    /// Forgets the changes that were made before the token; those made since stay unsaved.
    open func updateChangeCount(
        withToken changeCountToken: Any, for saveOperation: SaveOperation
    ) {
        changeCount -= changeCountToken as? Int ?? changeCount
    }

    /// Counts the document's changes while it has one; nil for a document without undo.
    open var undoManager: UndoManager! {
        didSet {
            guard undoManager !== oldValue else { return }
            undo.observe(undoManager) { [weak self] in self?.updateChangeCount($0) }
        }
    }

    // MARK: For subclasses

    /// What is to be written, asked for on the main queue: a `Data`.
    ///
    /// A document that is a folder overrides ``read(from:)`` and
    /// ``writeContents(_:to:for:originalContentsURL:)``: there is no `FileWrapper` here.
    open func contents(forType typeName: String) throws -> Any {
        throw DocumentError.notOverridden("contents(forType:)", fileURL)
    }

    /// Takes over what was read, on the main queue: a `Data`.
    open func load(fromContents contents: Any, ofType typeName: String?) throws {
        throw DocumentError.notOverridden("load(fromContents:ofType:)", fileURL)
    }

    /// Attributes for the document's file; none by default.
    open func fileAttributesToWrite(
        to url: URL, for saveOperation: SaveOperation
    ) throws -> [AnyHashable: Any] { [:] }

    /// Reads the document on its own queue, and has ``load(fromContents:ofType:)`` take it over.
    open nonisolated func read(from url: URL) throws {
        let contents = try Data(contentsOf: url)
        try onMainQueue { try self.load(fromContents: contents, ofType: self.fileType) }
    }

    /// Writes the document on its own queue, so that a reader finds the old one or the new one.
    open nonisolated func writeContents(
        _ contents: Any, andAttributes additionalFileAttributes: [AnyHashable: Any]?,
        safelyTo url: URL, for saveOperation: SaveOperation
    ) throws {
        try DocumentFiles.replacing(url, isNew: saveOperation == .forCreating) { place in
            try writeContents(
                contents, to: place, for: saveOperation,
                originalContentsURL: saveOperation == .forCreating ? nil : url)
            try DocumentFiles.set(additionalFileAttributes, of: place)
        }
    }

    /// Writes a file or a folder where nothing is yet, on the document's own queue.
    open nonisolated func writeContents(
        _ contents: Any, to url: URL, for saveOperation: SaveOperation,
        originalContentsURL: URL?
    ) throws {
        try DocumentFiles.write(contents, to: url)
    }

    /// Runs the block on the document's own queue, after what was put there before.
    open nonisolated func performAsynchronousFileAccess(_ block: @escaping @Sendable () -> Void) {
        files.async(execute: block)
    }

    /// Told on the main queue of what an operation failed with; the log has it by default.
    ///
    /// - Parameter userInteractionPermitted: whether the user may be asked; not while closing.
    open func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        EngineLog.error("document \(fileURL.path): \(error)")
        finishedHandlingError(error, recovered: false)
    }

    /// For an override of ``handleError(_:userInteractionPermitted:)`` to call in its end.
    ///
    /// - Parameter recovered: true takes ``State/savingError`` away.
    open func finishedHandlingError(_ error: any Error, recovered: Bool) {
        if recovered { changeState { $0.remove(.savingError) } }
    }

    /// For an override of ``handleError(_:userInteractionPermitted:)`` to call where the user does
    /// not wait for a way out any more.
    open func userInteractionNoLongerPermitted(forError error: any Error) {}

    /// Called when edits would be lost from now on; ``State/editingDisabled`` is set.
    open func disableEditing() {}

    /// Called when the user may edit again.
    open func enableEditing() {}

    // MARK: For the extensions of this module

    /// Closes what was opened; called on the main queue when everything is saved.
    func letGo() async throws {}

    /// Puts what is at a URL in the place of the content; called on the main queue.
    func reload(from url: URL) async throws {
        try await inBackground { try self.read(from: url) }
    }

    /// What a failure means for the state; called on the main queue.
    func states(of error: any Error) -> State { [] }

    final func changeState(_ change: (inout State) -> Void) {
        let old = state
        change(&state)
        guard state != old else { return }
        NotificationCenter.default.post(name: Self.stateChangedNotification, object: self)
    }

    /// Runs an operation after those that were begun before it, a part of the running one at once.
    final func operate(
        _ completionHandler: ((Bool) -> Void)?, _ body: @escaping @MainActor () async -> Bool
    ) {
        let identity = ObjectIdentifier(self)
        let isPart = Self.running == identity
        let before = isPart ? nil : last
        let finish: @MainActor (Bool) -> Void = { completionHandler?($0) }
        let task = Task { @MainActor in
            await before?.value
            let result = await Self.$running.withValue(identity) { await body() }
            Self.$running.withValue(isPart ? identity : nil) { finish(result) }
        }
        if !isPart { last = task }
    }

    final func note(url: URL) {
        facts.withLock {
            $0.url = url
            $0.modified = DocumentFiles.modificationDate(of: url)
        }
    }

    // MARK: Autosaving

    final func startTimer() {
        stopTimer()
        let interval = autosavingInterval
        // What the timer begins is no part of the operation that has started it.
        timer = Self.$running.withValue(nil) {
            Task { @MainActor [weak self] in
                while (try? await Task.sleep(for: interval)) != nil {
                    guard let self else { return }
                    await self.autosaveInTime()
                }
            }
        }
    }

    final func stopTimer() {
        timer?.cancel()
        timer = nil
    }

    private func autosaveInTime() async {
        guard !state.contains(.closed), hasUnsavedChanges else { return }
        await withCheckedContinuation { continuation in
            autosave { _ in continuation.resume() }
        }
    }
}
