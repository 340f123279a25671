import CoreData
import CoreDataTrace
import Dispatch
import Foundation
import Synchronization

/// A document that saves automatically. Its file is read and written off the main queue.
///
/// This is the part of Apple's class that does not depend on Apple's platforms; see
/// <https://developer.apple.com/documentation/uikit/uidocument>. A subclass overrides
/// ``contents(forType:)`` and ``load(fromContents:ofType:)``. For documents with a Core Data store
/// use ``UIManagedDocument``.
///
/// A document belongs to the main actor, so the program must drain the main queue. The operations
/// of a document run one after the other, in the order in which they were started. They call their
/// completion handlers on the main queue.
@MainActor
open class UIDocument: NSObject {
    private nonisolated let facts: Mutex<Facts>
    private nonisolated let files = DispatchQueue(label: "document")
    private var last: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    private var changeCount = 0
    private let undo = UndoCounting()
    private var state: State = .closed

    /// The document whose operation the current task runs.
    @TaskLocal private static var running: ObjectIdentifier?

    /// State that any queue may read.
    private struct Facts {
        var url: URL
        var modified: Date?
    }

    /// Creates a closed document; nothing is read.
    ///
    /// - Parameter url: the location of an existing or new document.
    public init(fileURL url: URL) {
        facts = Mutex(Facts(url: url))
        super.init()
    }

    isolated deinit { timer?.cancel() }

    // MARK: Properties

    /// The document's location.
    public nonisolated final var fileURL: URL { facts.withLock { $0.url } }

    /// The modification date of the document's file when the document last read or wrote it.
    open nonisolated var fileModificationDate: Date? {
        get { facts.withLock { $0.modified } }
        set { facts.withLock { $0.modified = newValue } }
    }

    /// The name that users see: the file's name without its extension.
    open nonisolated var localizedName: String {
        fileURL.deletingPathExtension().lastPathComponent
    }

    /// The type of the document's file: its extension, because Linux has no uniform
    /// type identifiers.
    open nonisolated var fileType: String? {
        let type = fileURL.pathExtension
        return type.isEmpty ? nil : type
    }

    /// The type that a save writes.
    open nonisolated var savingFileType: String? { fileType }

    /// The file extension for a type, which is the type itself.
    open nonisolated func fileNameExtension(
        forType typeName: String?, saveOperation: SaveOperation
    ) -> String { typeName ?? "" }

    /// The document's state; ``stateChangedNotification`` reports changes.
    public final var documentState: State { state }

    // MARK: Opening and closing

    /// Opens the document, reading its file on the document's own queue.
    ///
    /// The document is then ``State/normal``. If it is already open, the method reads nothing and
    /// succeeds. On failure ``handleError(_:userInteractionPermitted:)`` is called, and the
    /// document stays closed.
    ///
    /// - Parameter completionHandler: called with true if the document is open.
    open func open(completionHandler: ((Bool) -> Void)? = nil) {
        operate(completionHandler) { await self.openNow() }
    }

    /// Saves unsaved changes and closes the document.
    ///
    /// If the changes cannot be saved, the document stays open and keeps the changes. The program
    /// can undo them or try again.
    ///
    /// - Parameter completionHandler: called with true if the document was saved and closed.
    open func close(completionHandler: ((Bool) -> Void)? = nil) {
        operate(completionHandler) { await self.closeNow() }
    }

    /// Replaces the document's content, including unsaved changes, with the content at a URL.
    ///
    /// Editing is disabled meanwhile.
    ///
    /// - Parameter completionHandler: called with true if the content was replaced.
    open func revert(toContentsOf url: URL, completionHandler: ((Bool) -> Void)? = nil) {
        operate(completionHandler) { await self.revertNow(to: url) }
    }

    // MARK: Saving

    /// Saves the document: its content is read on the main queue and written on the document's own
    /// queue.
    ///
    /// - Parameters:
    ///   - url: the destination, usually ``fileURL``; another URL becomes the document's location.
    ///   - saveOperation: `forCreating` fails if a file exists at the URL.
    ///   - completionHandler: called with true if the document is saved.
    open func save(
        to url: URL, for saveOperation: SaveOperation, completionHandler: ((Bool) -> Void)? = nil
    ) {
        operate(completionHandler) { await self.saveNow(to: url, for: saveOperation) }
    }

    /// Saves the document at its location, if it has unsaved changes.
    ///
    /// - Parameter completionHandler: called with true if the document has no unsaved changes left.
    open func autosave(completionHandler: ((Bool) -> Void)? = nil) {
        guard hasUnsavedChanges else {
            operate(completionHandler) { true }
            return
        }
        save(to: fileURL, for: .forOverwriting, completionHandler: completionHandler)
    }

    /// The interval at which an open document checks for changes to save; 15 seconds.
    ///
    /// Apple's class does not have this property, and Apple does not document the interval.
    public final var autosavingInterval: Duration = .seconds(15) {
        didSet { if timer != nil { startTimer() } }
    }

    /// Whether closing the document without saving would lose changes.
    open var hasUnsavedChanges: Bool { changeCount != 0 }

    /// Counts a change. For a change that was undone, decrements the count.
    ///
    /// The document itself counts the groups of an undo manager.
    open func updateChangeCount(_ change: ChangeKind) {
        switch change {
        case .done, .redone: changeCount += 1
        case .undone: changeCount -= 1
        case .cleared: changeCount = 0
        }
    }

    /// A token for the current changes. Pass it to ``updateChangeCount(withToken:for:)`` after the
    /// save.
    open func changeCountToken(for saveOperation: SaveOperation) -> Any { changeCount }

    /// Marks the changes made before the token as saved; later changes stay unsaved.
    open func updateChangeCount(
        withToken changeCountToken: Any, for saveOperation: SaveOperation
    ) {
        changeCount -= changeCountToken as? Int ?? changeCount
    }

    /// The manager whose changes the document counts; nil for a document without undo.
    open var undoManager: UndoManager! {
        didSet {
            guard undoManager !== oldValue else { return }
            undo.observe(undoManager) { [weak self] in self?.updateChangeCount($0) }
        }
    }

    // MARK: For subclasses

    /// Returns the content to write, which is a `Data`; called on the main queue.
    ///
    /// A document that is a folder overrides ``read(from:)`` and
    /// ``writeContents(_:to:for:originalContentsURL:)``, because `FileWrapper` does not exist here.
    open func contents(forType typeName: String) throws -> Any {
        throw DocumentError.notOverridden("contents(forType:)", fileURL)
    }

    /// Loads the content that was read, which is a `Data`; called on the main queue.
    open func load(fromContents contents: Any, ofType typeName: String?) throws {
        throw DocumentError.notOverridden("load(fromContents:ofType:)", fileURL)
    }

    /// Attributes for the document's file; none by default.
    open func fileAttributesToWrite(
        to url: URL, for saveOperation: SaveOperation
    ) throws -> [AnyHashable: Any] { [:] }

    /// Reads the document on its own queue, and passes it to ``load(fromContents:ofType:)``.
    open nonisolated func read(from url: URL) throws {
        let contents = try Data(contentsOf: url)
        try onMainQueue { try self.load(fromContents: contents, ofType: self.fileType) }
    }

    /// Writes the document on its own queue, so that a reader finds either the old document or the
    /// complete new one.
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

    /// Writes a file or a folder at an unused path, on the document's own queue.
    open nonisolated func writeContents(
        _ contents: Any, to url: URL, for saveOperation: SaveOperation,
        originalContentsURL: URL?
    ) throws {
        try DocumentFiles.write(contents, to: url)
    }

    /// Runs the block on the document's own queue, after the blocks that were enqueued before.
    open nonisolated func performAsynchronousFileAccess(_ block: @escaping @Sendable () -> Void) {
        files.async(execute: block)
    }

    /// Called on the main queue with the error of an operation; logs it by default.
    ///
    /// - Parameter userInteractionPermitted: whether the user may be asked; false while closing.
    open func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        EngineLog.error("document \(fileURL.path): \(error)")
        finishedHandlingError(error, recovered: false)
    }

    /// Called at the end of an override of ``handleError(_:userInteractionPermitted:)``.
    ///
    /// - Parameter recovered: true removes ``State/savingError``.
    open func finishedHandlingError(_ error: any Error, recovered: Bool) {
        if recovered { changeState { $0.remove(.savingError) } }
    }

    /// Called by an override of ``handleError(_:userInteractionPermitted:)`` once the user no
    /// longer waits for a solution.
    open func userInteractionNoLongerPermitted(forError error: any Error) {}

    /// Called when the user must not edit, because edits would be lost, until ``enableEditing()``
    /// is called. ``State/editingDisabled`` is set.
    open func disableEditing() {}

    /// Called when the user may edit again.
    open func enableEditing() {}

    // MARK: For the extensions of this module

    /// Closes the opened content; called on the main queue when everything is saved.
    func closeContent() async throws {}

    /// Replaces the content with the content at a URL; called on the main queue.
    func reload(from url: URL) async throws {
        try await inBackground { try self.read(from: url) }
    }

    /// Returns the states that an error causes; called on the main queue.
    func states(of error: any Error) -> State { [] }

    final func changeState(_ change: (inout State) -> Void) {
        let old = state
        change(&state)
        guard state != old else { return }
        NotificationCenter.default.post(name: Self.stateChangedNotification, object: self)
    }

    /// Runs an operation after those that were started before it. An operation that the running
    /// operation starts runs immediately, as a part of it.
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
        // The task must not inherit the current operation. Otherwise each autosave would run as a
        // part of the operation that started the timer.
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
