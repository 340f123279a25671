import CoreDataStore
import CoreDataTrace
import Foundation

/// A stack as apps make it whose stores CloudKit mirrors on Apple's systems.
///
/// Its stores are local ones here, and the log says so once (D-068). Nothing is exported or
/// imported, so that no event is ever posted. `@unchecked Sendable` because it adds nothing to the
/// parts of its superclass, which are.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    /// Posted on Apple's systems as a set-up, an import or an export begins and ends; never here.
    public static let eventChangedNotification = Notification.Name(
        "NSPersistentCloudKitContainerEventChangedNotification")
    /// The key of the ``Event`` in that notification's user info.
    public static let eventNotificationUserInfoKey =
        "NSPersistentCloudKitContainerEventNotificationUserInfoKey"

    /// Opens the described stores as local ones.
    open override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        EngineLog.errorOnce(
            "NSPersistentCloudKitContainer: there is no CloudKit on this system; the stores are"
                + " local and are not mirrored.")
        super.loadPersistentStores(completionHandler: block)
    }

    /// Fails, because there is no CloudKit whose schema could be made.
    ///
    /// - Throws: 134060 (`NSCoreDataError`).
    open func initializeCloudKitSchema(
        options: NSPersistentCloudKitContainerSchemaInitializationOptions = []
    ) throws {
        try bridgingErrors { () throws(CoreDataError) in
            throw CoreDataError(
                .invalidArgument, "There is no CloudKit on this system whose schema could be made.")
        }
    }

    /// Whether the user may change the object's record; local objects may always be changed.
    open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Whether the user may delete the object's record; local objects may always be deleted.
    open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Whether objects of the store may be changed.
    open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { !store.isReadOnly }

    /// What an ``Event`` was about.
    public enum EventType: Int, Sendable {
        case setup = 0
        case `import` = 1
        case export = 2
    }

    /// A set-up, an import or an export; there is none here.
    public final class Event: NSObject, Sendable {
        /// What tells the event from others.
        public let identifier: UUID
        /// The identifier of the store.
        public let storeIdentifier: String
        /// What it was.
        public let type: EventType
        /// When it began.
        public let startDate: Date
        /// When it ended; nil while it goes on.
        public let endDate: Date?
        /// Whether it has ended well.
        public let succeeded: Bool
        /// Why it has not.
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

/// How a schema is made in CloudKit.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Takes the bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Checks the model and sends nothing.
    public static let dryRun = Self(rawValue: 1 << 1)
    /// Prints the records.
    public static let printSchema = Self(rawValue: 1 << 2)
}
