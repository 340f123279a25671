import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// An object whose row has changed since the object was read.
///
/// There are two cases. If another context of the coordinator has saved, the row cache is newer
/// than the object. If another coordinator or process has saved, the file is newer than the row
/// cache.
///
/// Snapshots contain attributes and to-one ids, with `NSNull` for nil, and never to-many
/// relationships.
open class NSMergeConflict: NSObject {
    private final var values: Values
    /// The object in conflict.
    open var sourceObject: NSManagedObject { values.sourceObject }
    /// The values that the object was read with; nil if the conflict does not involve these values.
    open var objectSnapshot: [String: Any]? { values.objectSnapshot?.dictionary }
    /// The newer row of the row cache; nil if the row cache was not newer.
    open var cachedSnapshot: [String: Any]? { values.cachedSnapshot?.dictionary }
    /// The row in the file; nil if the row does not exist, or was not read to detect the conflict.
    open var persistedSnapshot: [String: Any]? { values.persistedSnapshot?.dictionary }
    /// The current version; zero if the row was deleted.
    open var newVersionNumber: Int { values.newVersionNumber }
    /// The version that the object was read with; zero for a new object.
    open var oldVersionNumber: Int { values.oldVersionNumber }
    /// The newest row, for the built-in policies.
    package private(set) final var current: RowReference?

    private struct Values {
        let sourceObject: NSManagedObject
        let objectSnapshot: RowSnapshot?
        let cachedSnapshot: RowSnapshot?
        let persistedSnapshot: RowSnapshot?
        let newVersionNumber: Int
        let oldVersionNumber: Int
    }

    /// Creates a conflict; its object snapshot holds the values that the object was read with.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        values = Values(
            sourceObject: srcObject,
            objectSnapshot: srcObject.committedSnapshot.map(RowSnapshot.made),
            cachedSnapshot: cachesnap.map(RowSnapshot.made),
            persistedSnapshot: persnap.map(RowSnapshot.made), newVersionNumber: newvers,
            oldVersionNumber: oldvers)
        current = nil
        super.init()
    }

    /// Unavailable: a conflict needs an object.
    @available(*, unavailable, message: "Use init(source:newVersion:oldVersion:cachedSnapshot:…).")
    public override init() {
        trap("A conflict needs an object. Use init(source:newVersion:oldVersion:cachedSnapshot:…).")
    }

    convenience init(
        source: NSManagedObject, conflict: NSPersistentStoreCoordinator.Conflict,
        _ origins: inout NotificationInfo.Origins
    ) {
        self.init(
            source: source, newVersion: 0, oldVersion: 0, cachedSnapshot: nil,
            persistedSnapshot: nil)
        let rows = RowSnapshotBuilder(source, &origins)
        values = Values(
            sourceObject: source, objectSnapshot: rows.committed,
            cachedSnapshot: conflict.cached.map { rows.snapshot(of: $0) },
            persistedSnapshot: conflict.persisted.map { rows.snapshot(of: $0) },
            newVersionNumber: conflict.current.map { Int(RowFormat.version($0.cells)) } ?? 0,
            oldVersionNumber: Int(conflict.expectedVersion))
        current = conflict.current
    }

    open override var description: String {
        let new = newVersionNumber == 0 ? "<deleted>" : String(newVersionNumber)
        var text =
            "NSMergeConflict for NSManagedObject with objectID '\(sourceObject.objectID)' with"
            + " oldVersion = \(oldVersionNumber) and newVersion = \(new)"
        if let objectSnapshot { text += " and old object snapshot = \(objectSnapshot)" }
        if let cachedSnapshot { text += " and new cached row = \(cachedSnapshot)" }
        if let persistedSnapshot { text += " and new persisted row = \(persistedSnapshot)" }
        return text
    }
}
