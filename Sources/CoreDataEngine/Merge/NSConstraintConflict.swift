import Foundation

/// Objects that would break a uniqueness constraint together, or with a row of the store.
public final class NSConstraintConflict: NSObject {
    /// The names of the constraint's properties.
    public let constraint: [String]
    /// The values of the first object in conflict; may be outdated after a resolution.
    public let constraintValues: [String: Any]
    /// The object whose row has the values already; nil when the objects of this save are at odds.
    public let databaseObject: NSManagedObject?
    /// The row of ``databaseObject``.
    public let databaseSnapshot: [String: Any]?
    /// The objects of this save that have the values.
    public let conflictingObjects: [NSManagedObject]
    /// The values with which those were read; empty for new ones.
    public let conflictingSnapshots: [[AnyHashable: Any]]

    /// Creates a conflict.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        self.databaseObject = databaseObject
        var named: [String: Any] = [:]
        for (key, value) in databaseSnapshot ?? [:] {
            if let key = key as? String { named[key] = value }
        }
        self.databaseSnapshot = databaseSnapshot == nil ? nil : named
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
        var values: [String: Any] = [:]
        if let first = conflictingObjects.first {
            let snapshot = first.currentSnapshot
            for name in contraint { values[name] = snapshot[name] }
        }
        constraintValues = values
        super.init()
    }

    public override var description: String {
        let names = constraint.joined(separator: ",\n    ")
        let database = databaseObject.map { "\($0.objectID)" } ?? "(null)"
        let ids = conflictingObjects.map { "\($0.objectID)" }.joined(separator: ", ")
        return "NSConstraintConflict for constraint (\n    \(names)\n): database: \(database),"
            + " conflictedObjects: (\(ids))"
    }
}
