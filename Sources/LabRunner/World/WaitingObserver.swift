import CoreDataEngine
import Foundation

/// Observes a context for blocks that it runs inside the notification and waits for: no other
/// observer receives the save, or the change, before they have ended. A context of a schedule has
/// one.
final class WaitingObserver {
    // `@unchecked Sendable` because the thread that has a context's queue posts its notifications,
    // and with such observers no two of these threads run at the same time.
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
