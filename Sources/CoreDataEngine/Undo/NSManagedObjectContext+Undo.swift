import CoreDataModel
import CoreDataStore
import Foundation

/// The undo and redo actions of a context.
extension NSManagedObjectContext {

    package final func undoChanges() throws(CoreDataError) {
        try checkConfined("undo()")
        emit(.undone)
        try unheard { () throws(CoreDataError) in
            try processPending()
            try undoManager?.undoLast()
        }
    }

    package final func redoChanges() throws(CoreDataError) {
        try checkConfined("redo()")
        emit(.redone)
        try unheard { () throws(CoreDataError) in
            try processPending()
            try undoManager?.redoLast()
        }
    }

    /// Replaces the recorder after the undo manager was changed, and removes this context's actions
    /// from the old undo manager.
    final func changeUndoManager(from old: UndoManager?) {
        if old === undoManager { return }
        if let old { stopUndo(old) }
        undoRecorder = undoManager.map { UndoRecorder(manager: $0) }
        checkpointObserver = undoManager.map { manager in
            NotificationCenter.default.addObserver(
                forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
            ) { [weak self] _ in
                guard let self, self.queue.isCurrent else { return }
                orTrap { () throws(CoreDataError) in try self.processPending() }
            }
        }
    }

    /// Removes this context's actions from a manager, and ends its observation.
    final func stopUndo(_ manager: UndoManager) {
        manager.removeAllActions(withTarget: self)
        if let checkpointObserver { NotificationCenter.default.removeObserver(checkpointObserver) }
    }

    /// Ends the running event of an undo manager that groups by event.
    final func endUndoEvent() {
        guard let undoManager else { return }
        orTrap { () throws(CoreDataError) in try undoManager.endEvent() }
    }

    /// Drops all undo actions.
    final func dropUndoActions() {
        undoRecorder?.discard()
        undoManager?.removeAllActions()
    }

    /// Runs changes that cannot be undone.
    final func withoutUndo<T>(_ work: () throws(CoreDataError) -> T) throws(CoreDataError) -> T {
        guard let undoRecorder else { return try work() }
        return try undoRecorder.pausing(work)
    }
}
