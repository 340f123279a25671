import CoreDataEngine
import Foundation

/// Observes a context for blocks that it runs inside the notification and waits for: the save, or
/// the change, is told to nobody else before they have ended. A context of a schedule has one.
final class WaitingObserver {
    // `@unchecked Sendable` because notifications of a context are posted by the thread that has
    // its queue, and no two of those run at one time where somebody observes so.
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
