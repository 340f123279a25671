import CoreDataStore
import CoreDataTrace
import Foundation

/// A container whose stores are mirrored to CloudKit on Apple's systems.
///
/// Here the stores are local, and the log says so once (D-068). Nothing is exported or imported, so
/// no event is posted. `@unchecked Sendable` because the class adds no state to its superclass,
/// whose parts are Sendable.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    /// Posted on Apple's systems when a set-up, an import or an export begins or ends; never posted
    /// here.
    public static let eventChangedNotification = Notification.Name(
        "NSPersistentCloudKitContainerEventChangedNotification")
    /// The key of the ``Event`` in the user info of ``eventChangedNotification``.
    public static let eventNotificationUserInfoKey =
        "NSPersistentCloudKitContainerEventNotificationUserInfoKey"

    /// Opens the described stores as local stores.
    open override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        EngineLog.errorOnce(
            "NSPersistentCloudKitContainer: this system has no CloudKit; the stores are"
                + " local and are not mirrored.")
        super.loadPersistentStores(completionHandler: block)
    }

    /// Fails, because CloudKit is not available here.
    ///
    /// - Throws: 134060 (`NSCoreDataError`).
    open func initializeCloudKitSchema(
        options: NSPersistentCloudKitContainerSchemaInitializationOptions = []
    ) throws {
        try bridgingErrors { () throws(CoreDataError) in
            throw CoreDataError(
                .invalidArgument, "CloudKit is not available here; its schema cannot be created.")
        }
    }

    /// Whether the user may change the object's record; local objects may always be changed.
    open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Whether the user may delete the object's record; local objects may always be deleted.
    open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Whether objects of the store may be changed.
    open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { !store.isReadOnly }

    /// The kind of work that an ``Event`` describes.
    public enum EventType: Int, Sendable {
        case setup = 0
        case `import` = 1
        case export = 2
    }

    /// A set-up, an import or an export; never created here.
    public final class Event: NSObject, Sendable {
        /// Identifies the event.
        public let identifier: UUID
        /// The identifier of the store.
        public let storeIdentifier: String
        /// The kind of work.
        public let type: EventType
        /// The beginning of the event.
        public let startDate: Date
        /// The end of the event; nil while it is running.
        public let endDate: Date?
        /// Whether the work succeeded.
        public let succeeded: Bool
        /// Why the work failed.
        public let error: (any Error)?

        init(
            _ type: EventType, store: String, from startDate: Date, until endDate: Date?,
            error: (any Error)?
        ) {
            identifier = UUID()
            storeIdentifier = store
            self.type = type
            self.startDate = startDate
            self.endDate = endDate
            succeeded = endDate != nil && error == nil
            self.error = error
        }
    }
}

/// Options for creating a schema in CloudKit.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Checks the model without sending it to CloudKit.
    public static let dryRun = Self(rawValue: 1 << 1)
    /// Prints the records of the schema.
    public static let printSchema = Self(rawValue: 1 << 2)
}
