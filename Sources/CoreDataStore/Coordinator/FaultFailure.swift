import Foundation
import Synchronization

/// What to do if a fault cannot be fired because its store cannot be read, or the archive of a
/// transformable attribute cannot be decoded.
///
/// Reading a property cannot throw, and Core Data has no call for this case: on Apple's systems the
/// process ends with an exception. Here a handler of the program is called first, and may choose to
/// go on.
extension NSPersistentStoreCoordinator {
    /// A fault that could not be fired: the file is damaged, another process keeps it locked, the
    /// system has nothing left to open or read it with, or an archive cannot be decoded.
    public struct FaultFailure: Sendable {
        /// The store's file; nil where it is not known.
        public let storeURL: URL?
        /// The entity of the object.
        public let entityName: String
        /// The object.
        public let objectID: NSManagedObjectID
        /// The property that was read; nil where the object was read as a whole.
        public let key: String?
        /// What went wrong, with SQLite's words under `reason` in its user info. Of an archive it
        /// names attribute, class and remedy.
        public let error: NSError
        /// Whether ``FaultFailureResponse/makeInaccessible`` is possible: the object has no unsaved
        /// changes, which it would lose, and a property was read, not written.
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

    /// What a program answers to a ``FaultFailure``.
    public enum FaultFailureResponse: Sendable {
        /// The process ends with the error's text, as it does without a handler. An archive that
        /// cannot be decoded does not end it: only that attribute is nil, and the log says why.
        case endProcess
        /// The object becomes inaccessible: it is no fault any more, its attributes are nil and its
        /// relationships empty, and no save writes it. Its row stays as it is. Refreshing it with
        /// `refresh(_:mergeChanges: false)` makes it a fault again.
        case makeInaccessible
    }

    /// Is called when a fault cannot be fired, before anything is done about it.
    ///
    /// A read takes any connection that is open and waits as long as the store's time-out says
    /// before it fails. The handler runs on the queue of the object's context; it must not use the
    /// context. Without a handler the process ends, except for an archive.
    public final var faultFailureHandler: (@Sendable (FaultFailure) -> FaultFailureResponse)? {
        get { faultFailures.withLock { $0 } }
        set { faultFailures.withLock { $0 = newValue } }
    }
}

extension CoreDataError {
    /// Whether the store's surroundings are the reason, and not the program.
    package var isOfEnvironment: Bool {
        switch code {
        case .sqlite, .fileReadCorrupt, .fileReadUnknown, .fileWriteNoPermission, .storeSave: true
        default: false
        }
    }

    /// The same error with the object whose fault it was, if nobody is named yet.
    package func concerning(_ key: ObjectKey) -> CoreDataError {
        guard isOfEnvironment, objects.isEmpty else { return self }
        var error = self
        error.objects = [key]
        return error
    }
}
