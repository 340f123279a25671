import CoreDataEngine
import Foundation

/// Observes a context for blocks that run inside its notifications. Other observers receive the
/// notification only after the blocks have ended. A context with such blocks has one observer.
final class WaitingObserver {
    // `@unchecked Sendable` because only the thread on a context's queue posts the context's
    // notifications. If such observers exist, no two of these threads run at the same time.
    private struct Handler: @unchecked Sendable {
        let run: () -> Void
    }

    private var tokens: [any NSObjectProtocol] = []

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }

    func observe(
        _ name: Notification.Name, of context: NSManagedObjectContext, _ run: @escaping () -> Void
    ) {
        let handler = Handler(run: run)
        tokens.append(
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                _ in handler.run()
            })
    }
}
