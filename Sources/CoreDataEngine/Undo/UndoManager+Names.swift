import Foundation

/// What menus say about undo and redo.
extension UndoManager {
    /// A key of values that a group carries.
    public struct UserInfoKey: Hashable, RawRepresentable, Sendable {
        /// The key as a text.
        public let rawValue: String

        /// Wraps a text.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The name of what ``undo()`` would undo; empty without one.
    public final var undoActionName: String { nextUndo?.name ?? "" }

    /// The name of what ``redo()`` would do again; empty without one.
    public final var redoActionName: String { nextRedo?.name ?? "" }

    /// Names the open group, or else the one that was closed last.
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

    /// Says whether the open group, or else the last one, may be lost without asking.
    public final func setActionIsDiscardable(_ discardable: Bool) {
        describedGroup?.isDiscardable = discardable
    }

    /// Whether what ``undo()`` would undo may be lost without asking.
    public final var undoActionIsDiscardable: Bool { nextUndo?.isDiscardable ?? false }

    /// Whether what ``redo()`` would do again may be lost without asking.
    public final var redoActionIsDiscardable: Bool { nextRedo?.isDiscardable ?? false }

    /// Gives the open group, or else the last one, a value.
    public final func setActionUserInfoValue(_ info: Any?, forKey key: UserInfoKey) {
        describedGroup?.userInfo[key] = info
    }

    /// A value of what ``undo()`` would undo.
    public final func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
        nextUndo?.userInfo[key]
    }

    /// A value of what ``redo()`` would do again.
    public final func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
        nextRedo?.userInfo[key]
    }

    /// How many closed groups can be undone.
    public final var undoCount: Int { undoGroupCount }

    /// How many groups can be done again.
    public final var redoCount: Int { redoGroupCount }
}

extension NSNotification.Name {
    /// Pending work should be registered now; the object is the undo manager.
    public static let NSUndoManagerCheckpoint = NSNotification.Name(
        "NSUndoManagerCheckpointNotification")
    /// An undo manager is about to undo.
    public static let NSUndoManagerWillUndoChange = NSNotification.Name(
        "NSUndoManagerWillUndoChangeNotification")
    /// An undo manager is about to do an action again.
    public static let NSUndoManagerWillRedoChange = NSNotification.Name(
        "NSUndoManagerWillRedoChangeNotification")
    /// An undo manager has undone an action.
    public static let NSUndoManagerDidUndoChange = NSNotification.Name(
        "NSUndoManagerDidUndoChangeNotification")
    /// An undo manager has done an action again.
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
