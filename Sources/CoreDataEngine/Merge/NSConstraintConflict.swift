import Foundation

/// Objects that would violate a uniqueness constraint together, or with a row of the store.
open class NSConstraintConflict: NSObject {
    private let values: Values

    /// The names of the constraint's properties.
    open var constraint: [String] { values.constraint }
    /// The values of the first conflicting object; may be outdated after the conflict was resolved.
    open var constraintValues: [String: Any] { values.constraintValues }
    /// The object whose row already has the values; nil if only objects of this save conflict.
    open var databaseObject: NSManagedObject? { values.databaseObject }
    /// The row of ``databaseObject``.
    open var databaseSnapshot: [String: Any]? { values.databaseSnapshot }
    /// The objects of this save that have the values.
    open var conflictingObjects: [NSManagedObject] { values.conflictingObjects }
    /// The values with which the conflicting objects were read; empty for new objects.
    open var conflictingSnapshots: [[AnyHashable: Any]] { values.conflictingSnapshots }

    private struct Values {
        let constraint: [String]
        let constraintValues: [String: Any]
        let databaseObject: NSManagedObject?
        let databaseSnapshot: [String: Any]?
        let conflictingObjects: [NSManagedObject]
        let conflictingSnapshots: [[AnyHashable: Any]]
    }

    /// Creates a conflict.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        var named: [String: Any] = [:]
        for (key, value) in databaseSnapshot ?? [:] {
            if let key = key as? String { named[key] = value }
        }
        var values: [String: Any] = [:]
        if let first = conflictingObjects.first {
            let snapshot = first.currentSnapshot
            for name in contraint { values[name] = snapshot[name] }
        }
        self.values = Values(
            constraint: contraint, constraintValues: values, databaseObject: databaseObject,
            databaseSnapshot: databaseSnapshot == nil ? nil : named,
            conflictingObjects: conflictingObjects,
            conflictingSnapshots: conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] })
        super.init()
    }

    /// Creates a conflict without objects and constraint.
    public convenience override init() {
        self.init(
            constraint: [], database: nil, databaseSnapshot: nil, conflicting: [],
            conflictingSnapshots: [])
    }

    open override var description: String {
        let names = constraint.joined(separator: ",\n    ")
        let database = databaseObject.map { "\($0.objectID)" } ?? "(null)"
        let ids = conflictingObjects.map { "\($0.objectID)" }.joined(separator: ", ")
        return "NSConstraintConflict for constraint (\n    \(names)\n): database: \(database),"
            + " conflictedObjects: (\(ids))"
    }
}
