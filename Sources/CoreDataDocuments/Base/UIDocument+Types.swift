import Foundation

extension UIDocument {
    /// Whether a save creates a document or overwrites one.
    public enum SaveOperation: Int, Sendable {
        /// The document is written for the first time, or to a new location.
        case forCreating
        /// The document's file is overwritten.
        case forOverwriting
    }

    /// The kind of a change to a document's content.
    public enum ChangeKind: Int, Sendable {
        /// A change was made.
        case done
        /// A change was undone.
        case undone
        /// A change was redone.
        case redone
        /// The document equals its saved state.
        case cleared
    }

    /// The state of a document; empty for an open document without problems.
    public struct State: OptionSet, Sendable {
        /// The bits of the state.
        public let rawValue: UInt

        /// Creates a state from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The document is open and has no problem.
        public static let normal: State = []
        /// The document was not opened yet, could not be opened, or was closed.
        public static let closed = State(rawValue: 1 << 0)
        /// Another writer has changed the content that this document would overwrite.
        ///
        /// Apple's documents detect conflicting versions in iCloud, which does not exist here.
        /// Here, a conflict occurs if another writer changes the store of a ``UIManagedDocument``.
        /// A save that detects the change fails, and the document is in conflict until a save
        /// succeeds or the document is reverted.
        public static let inConflict = State(rawValue: 1 << 1)
        /// The last save or revert failed.
        public static let savingError = State(rawValue: 1 << 2)
        /// The content is being replaced; edits made now would be lost.
        public static let editingDisabled = State(rawValue: 1 << 3)
        /// A download is in progress; never set here, because all files are local.
        public static let progressAvailable = State(rawValue: 1 << 4)
    }

    /// Posted on the main queue after ``UIDocument/documentState`` has changed; the object is the
    /// document.
    public nonisolated static let stateChangedNotification = Notification.Name(
        "UIDocumentStateChangedNotification")
}

/// A value that is passed from the main queue to a document's own queue, or back.
// `@unchecked Sendable` because one queue releases the value before the other queue receives it.
struct Handed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
