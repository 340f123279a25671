import Foundation

/// The history token of a write, in the user info of a remote-change notification; present if the
/// store tracks its history.
public let NSPersistentHistoryTokenKey = "historyToken"

extension NSNotification.Name {
    /// A store was written, by this coordinator or by another coordinator of the process. The
    /// notification's object is the registered coordinator.
    public static let NSPersistentStoreRemoteChange = NSNotification.Name(
        "NSPersistentStoreRemoteChangeNotification")
}
