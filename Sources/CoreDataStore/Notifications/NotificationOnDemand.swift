import Foundation
import Synchronization

/// A notification whose user info is only created for programs that have used its name.
///
/// Creating sets of 100,000 objects takes longer than writing their rows, and Foundation does not
/// report whether a notification is observed. But an observer needs the notification's name, and
/// the public constants call ``mention()`` to obtain it. The engine posts under ``name``.
package struct NotificationOnDemand: ~Copyable, Sendable {
    /// The notification's name. Code that observes the notification must call ``mention()``
    /// instead.
    package let name: NSNotification.Name
    private let mentioned = Atomic<Bool>(false)

    package init(_ name: String) { self.name = NSNotification.Name(name) }

    /// Returns the name to code that may observe the notification, which has a user info from now
    /// on.
    package borrowing func mention() -> NSNotification.Name {
        mentioned.store(true, ordering: .releasing)
        return name
    }

    package var isMentioned: Bool { mentioned.load(ordering: .acquiring) }

    /// Posts the notification; without user info if no program has used its name.
    package borrowing func post(
        from object: AnyObject, _ userInfo: @autoclosure () -> [AnyHashable: Any]
    ) {
        NotificationCenter.default.post(
            name: name, object: object, userInfo: isMentioned ? userInfo() : nil)
    }
}

extension NotificationOnDemand {
    package static let didSave = NotificationOnDemand("NSManagingContextDidSaveChangesNotification")
    package static let objectsDidChange = NotificationOnDemand(
        "NSObjectsChangedInManagingContextNotification")
    package static let didSaveObjectIDs = NotificationOnDemand(
        "NSManagedObjectContextDidSaveObjectIDsNotification")
    package static let didMergeObjectIDs = NotificationOnDemand(
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}
