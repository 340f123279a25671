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

    /// Replaces the recorder after the undo manager was changed. Removes this context's actions
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

    final func stopUndo(_ manager: UndoManager) {
        manager.removeAllActions(withTarget: self)
        if let checkpointObserver { NotificationCenter.default.removeObserver(checkpointObserver) }
    }

    final func endUndoEvent() {
        guard let undoManager else { return }
        orTrap { () throws(CoreDataError) in try undoManager.endEvent() }
    }

    final func dropUndoActions() {
        undoRecorder?.discard()
        undoManager?.removeAllActions()
    }

    final func withoutUndo<T>(_ work: () throws(CoreDataError) -> T) throws(CoreDataError) -> T {
        guard let undoRecorder else { return try work() }
        return try undoRecorder.pausing(work)
    }
}
