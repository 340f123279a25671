import Foundation

/// Which CloudKit container a store is to be mirrored to.
///
/// Kept for sources of apps; nothing is mirrored on Linux (D-068).
open class NSPersistentCloudKitContainerOptions: NSObject {
    /// The identifier of the CloudKit container, such as `iCloud.org.example.app`.
    public let containerIdentifier: String

    /// Names a CloudKit container.
    public init(containerIdentifier: String) {
        self.containerIdentifier = containerIdentifier
    }
}
