import CoreDataEngine
import CoreDataModel
import Foundation

/// Resolves conflicts as `objectTrump` does, but a new object's nils first take the values of the
/// row that it meets.
///
/// The cure of bare duplicates: for an insert every property counts as changed, so a plain trump
/// writes nils over what somebody has filled in.
final class BackfillNilsPolicy: NSMergePolicy {
    init() {
        super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        for conflict in list {
            guard let row = conflict.databaseObject else { continue }
            for object in conflict.conflictingObjects {
                try bridgingErrors { () throws(CoreDataError) in try fill(object, from: row) }
            }
        }
        try super.resolve(constraintConflicts: list)
    }

    private func fill(
        _ object: NSManagedObject, from row: NSManagedObject
    ) throws(CoreDataError) {
        for key in object.entity.attributesByName.keys.sorted() {
            guard try object.readValue(forKey: key) == nil,
                let value = try row.readValue(forKey: key)
            else { continue }
            try object.writeValue(value, forKey: key)
        }
    }
}

// `@unchecked Sendable` because it has no state, and is asked on the queue of the context that
// saves.
extension BackfillNilsPolicy: @unchecked Sendable {}
