import CoreData
import Foundation
import Synchronization

/// Counts the groups of an undo manager for a document.
final class UndoCounting: Sendable {
    private let tokens = Mutex<[Token]>([])

    // `@unchecked Sendable` because the token is created once and passed back once.
    private struct Token: @unchecked Sendable {
        let value: any NSObjectProtocol
    }

    deinit { forget() }

    private func forget() {
        let old = tokens.withLock { tokens in
            defer { tokens = [] }
            return tokens
        }
        for token in old { NotificationCenter.default.removeObserver(token.value) }
    }

    /// Observes an undo manager, in place of the previous one. Its changes are reported on the main
    /// queue.
    func observe(
        _ manager: UndoManager?,
        _ report: @escaping @MainActor @Sendable (UIDocument.ChangeKind) -> Void
    ) {
        forget()
        guard let manager else { return }
        let kinds: [(Notification.Name, UIDocument.ChangeKind)] = [
            (.NSUndoManagerDidCloseUndoGroup, .done), (.NSUndoManagerDidUndoChange, .undone),
            (.NSUndoManagerDidRedoChange, .redone),
        ]
        let made = kinds.map { name, kind in
            Token(
                value: NotificationCenter.default.addObserver(
                    forName: name, object: manager, queue: nil
                ) { notification in
                    // Nested groups, and groups that close during an undo or a redo, are not
                    // counted as changes.
                    let manager = notification.object as? UndoManager
                    let isPart =
                        manager.map { $0.isUndoing || $0.isRedoing || $0.groupingLevel > 0 }
                        ?? false
                    if kind == .done, isPart { return }
                    onMainQueueSoon { report(kind) }
                })
        }
        tokens.withLock { $0 = made }
    }
}
