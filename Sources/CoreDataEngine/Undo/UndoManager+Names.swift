import Foundation

/// The names of undo and redo actions for menus.
extension UndoManager {
    /// A key for the user info of an undo group.
    public struct UserInfoKey: Hashable, RawRepresentable, Sendable {
        /// The key as a string.
        public let rawValue: String

        /// Creates a key from a string.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The name of the action that ``undo()`` would undo; empty if no action can be undone.
    public final var undoActionName: String { nextUndo?.name ?? "" }

    /// The name of the action that ``redo()`` would redo; empty if no action can be redone.
    public final var redoActionName: String { nextRedo?.name ?? "" }

    /// Sets the name of the open group. If no group is open, sets the name of the group that was
    /// closed last.
    public final func setActionName(_ actionName: String) { describedGroup?.name = actionName }

    /// "Undo" with the name of the action.
    public final var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// "Redo" with the name of the action.
    public final var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// "Undo" with a name.
    public final func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// "Redo" with a name.
    public final func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    /// Sets whether the action of the open or the last group may be discarded without asking the
    /// user.
    public final func setActionIsDiscardable(_ discardable: Bool) {
        describedGroup?.isDiscardable = discardable
    }

    /// Whether the action that ``undo()`` would undo may be discarded without asking the user.
    public final var undoActionIsDiscardable: Bool { nextUndo?.isDiscardable ?? false }

    /// Whether the action that ``redo()`` would redo may be discarded without asking the user.
    public final var redoActionIsDiscardable: Bool { nextRedo?.isDiscardable ?? false }

    /// Sets a value in the user info of the open group. If no group is open, sets it in the group
    /// that was closed last.
    public final func setActionUserInfoValue(_ info: Any?, forKey key: UserInfoKey) {
        describedGroup?.userInfo[key] = info
    }

    /// A value in the user info of the action that ``undo()`` would undo.
    public final func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
        nextUndo?.userInfo[key]
    }

    /// A value in the user info of the action that ``redo()`` would redo.
    public final func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
        nextRedo?.userInfo[key]
    }

    /// The number of closed groups that can be undone.
    public final var undoCount: Int { undoGroupCount }

    /// The number of groups that can be redone.
    public final var redoCount: Int { redoGroupCount }
}

extension NSNotification.Name {
    /// Posted when observers must register pending work; the object is the undo manager.
    public static let NSUndoManagerCheckpoint = NSNotification.Name(
        "NSUndoManagerCheckpointNotification")
    /// An undo manager is about to undo.
    public static let NSUndoManagerWillUndoChange = NSNotification.Name(
        "NSUndoManagerWillUndoChangeNotification")
    /// An undo manager is about to redo an action.
    public static let NSUndoManagerWillRedoChange = NSNotification.Name(
        "NSUndoManagerWillRedoChangeNotification")
    /// An undo manager has undone an action.
    public static let NSUndoManagerDidUndoChange = NSNotification.Name(
        "NSUndoManagerDidUndoChangeNotification")
    /// An undo manager has redone an action.
    public static let NSUndoManagerDidRedoChange = NSNotification.Name(
        "NSUndoManagerDidRedoChangeNotification")
    /// An undo manager has opened a group.
    public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name(
        "NSUndoManagerDidOpenUndoGroupNotification")
    /// An undo manager is about to close a group.
    public static let NSUndoManagerWillCloseUndoGroup = NSNotification.Name(
        "NSUndoManagerWillCloseUndoGroupNotification")
    /// An undo manager has closed a group.
    public static let NSUndoManagerDidCloseUndoGroup = NSNotification.Name(
        "NSUndoManagerDidCloseUndoGroupNotification")
}
