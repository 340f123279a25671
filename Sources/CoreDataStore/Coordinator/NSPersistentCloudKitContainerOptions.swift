import Foundation

/// The CloudKit container that mirrors a store.
///
/// Declared for sources of apps; nothing is mirrored on Linux (D-068).
open class NSPersistentCloudKitContainerOptions: NSObject {
    /// The identifier of the CloudKit container, such as `iCloud.org.example.app`.
    public let containerIdentifier: String

    /// Creates options for a CloudKit container.
    public init(containerIdentifier: String) {
        self.containerIdentifier = containerIdentifier
    }
}
