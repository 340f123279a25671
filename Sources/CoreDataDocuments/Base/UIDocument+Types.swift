import Foundation

extension UIDocument {
    /// Whether a save makes a document or writes over one.
    public enum SaveOperation: Int, Sendable {
        /// The document is written for the first time, or to a new place.
        case forCreating
        /// The document's file is written over.
        case forOverwriting
    }

    /// What happened to a document's content.
    public enum ChangeKind: Int, Sendable {
        /// A change was made.
        case done
        /// A change was taken back.
        case undone
        /// A change that was taken back was made again.
        case redone
        /// The document is as it was saved.
        case cleared
    }

    /// What a document is in; empty is a document that is open and well.
    public struct State: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Wraps bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The document is open, and nothing is wrong.
        public static let normal: State = []
        /// The document was not opened yet, could not be opened, or was closed.
        public static let closed = State(rawValue: 1 << 0)
        /// Somebody else has written what this document would write over.
        ///
        /// Apple's documents learn of conflicting versions from iCloud, which is not here. What is
        /// here is a store that was changed behind a ``UIManagedDocument``: a save that finds that
        /// fails, and the document is in conflict until a save succeeds or it is reverted.
        public static let inConflict = State(rawValue: 1 << 1)
        /// The last save or revert failed.
        public static let savingError = State(rawValue: 1 << 2)
        /// The content is being replaced; what a user does now would be lost.
        public static let editingDisabled = State(rawValue: 1 << 3)
        /// A download is under way; never set here, where all files are local.
        public static let progressAvailable = State(rawValue: 1 << 4)
    }

    /// Posted on the main queue after ``UIDocument/documentState`` has changed; the object is the
    /// document.
    public nonisolated static let stateChangedNotification = Notification.Name(
        "UIDocumentStateChangedNotification")
}

/// A value that goes from the main queue to a document's own queue, or back.
// `@unchecked Sendable` because one queue lets go of the value before the other one gets it.
struct Handed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
