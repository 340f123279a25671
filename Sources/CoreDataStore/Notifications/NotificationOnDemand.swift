import Foundation
import Synchronization

/// A notification whose user info is made only for programs that have ever named it.
///
/// Sets of 100,000 objects cost more than writing their rows, and Foundation does not say whether
/// anybody observes. But nobody observes a name without having it, and the public constants give
/// it out through ``mention()``. Posted by the engine, which uses ``name`` itself.
package struct NotificationOnDemand: ~Copyable, Sendable {
    /// The name, for those who do not mean to observe it.
    package let name: NSNotification.Name
    private let mentioned = Atomic<Bool>(false)

    package init(_ name: String) { self.name = NSNotification.Name(name) }

    /// The name, for somebody who may observe it from now on.
    package borrowing func mention() -> NSNotification.Name {
        mentioned.store(true, ordering: .releasing)
        return name
    }

    /// Whether anybody may be observing by name.
    package var isMentioned: Bool { mentioned.load(ordering: .acquiring) }

    /// Posts the notification; without user info where nobody can have asked for it.
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
