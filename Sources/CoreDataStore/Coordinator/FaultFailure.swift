import Foundation
import Synchronization

/// Handling faults that cannot be fired. Their store cannot be read, or the archive of a
/// transformable attribute cannot be decoded.
///
/// Reading a property cannot throw, and Core Data has no API for this case. On Apple's systems the
/// process ends with an exception. Here a program can set a handler, which is called first and can
/// choose to continue.
extension NSPersistentStoreCoordinator {
    /// A fault that could not be fired. For example, the file is damaged, another connection keeps
    /// it locked, the system lacks the resources to read it, or an archive cannot be decoded.
    public struct FaultFailure: Sendable {
        /// The store's file; nil if unknown.
        public let storeURL: URL?
        /// The entity of the object.
        public let entityName: String
        /// The object.
        public let objectID: NSManagedObjectID
        /// The property that was read; nil if the object was read as a whole.
        public let key: String?
        /// The error, with SQLite's message under the key `reason` in its user info. If an archive
        /// cannot be decoded, the error names the attribute, the class and a remedy.
        public let error: NSError
        /// Whether ``FaultFailureResponse/makeInaccessible`` is allowed. It is allowed if the
        /// program read a property and did not write one, and the object has no unsaved changes
        /// that would be lost.
        public let canGoOn: Bool

        package init(
            storeURL: URL?, entityName: String, objectID: NSManagedObjectID, key: String?,
            error: NSError, canGoOn: Bool
        ) {
            self.storeURL = storeURL
            self.entityName = entityName
            self.objectID = objectID
            self.key = key
            self.error = error
            self.canGoOn = canGoOn
        }
    }

    /// A program's response to a ``FaultFailure``.
    public enum FaultFailureResponse: Sendable {
        /// The process ends with the error's text, as it does without a handler. If an
        /// archive cannot be decoded, the process continues instead: the attribute is nil, and the
        /// log contains the reason.
        case endProcess
        /// The object becomes inaccessible: it is no longer a fault, its attributes are nil, its
        /// relationships are empty, and no save writes it. Its row is unchanged.
        /// `refresh(_:mergeChanges: false)` turns it into a fault again.
        case makeInaccessible
    }

    /// Called when a fault cannot be fired, before anything else is done about the failure.
    ///
    /// Before a read fails, the store tries all open connections and waits for its timeout. The
    /// handler runs on the queue of the object's context; it must not use the context. Without a
    /// handler the process ends, unless the failure is an archive that cannot be decoded.
    public final var faultFailureHandler: (@Sendable (FaultFailure) -> FaultFailureResponse)? {
        get { faultFailures.withLock { $0 } }
        set { faultFailures.withLock { $0 = newValue } }
    }
}

extension CoreDataError {
    /// Whether the failure was caused by the store's environment, such as its file, and not by the
    /// program.
    package var isOfEnvironment: Bool {
        switch code {
        case .sqlite, .fileReadCorrupt, .fileReadUnknown, .fileWriteNoPermission, .storeSave: true
        default: false
        }
    }

    /// Adds the object whose fault could not be fired to the error, unless the error already names
    /// an object.
    package func concerning(_ key: ObjectKey) -> CoreDataError {
        guard isOfEnvironment, objects.isEmpty else { return self }
        var error = self
        error.objects = [key]
        return error
    }
}
