import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation

/// Resolves conflicts like `objectTrump`, but first replaces a new object's nils by the values of
/// the existing row.
///
/// Cures empty duplicates: in an inserted object every property counts as changed, so `objectTrump`
/// would overwrite existing values with nils.
final class BackfillNilsPolicy: NSMergePolicy {
    private let includesPeers: Bool

    /// - Parameter includesPeers: whether equal new objects of one context also fill each other's
    ///   nils. None of these objects has a row yet.
    init(includesPeers: Bool = false) {
        self.includesPeers = includesPeers
        super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        for conflict in list {
            let peers = includesPeers ? conflict.conflictingObjects : []
            let sources = [conflict.databaseObject].compactMap(\.self) + peers
            for object in conflict.conflictingObjects {
                for source in sources where source !== object {
                    try bridgingErrors { () throws(CoreDataError) in
                        try fill(object, from: source)
                    }
                }
            }
        }
        try super.resolve(constraintConflicts: list)
    }

    private func fill(
        _ object: NSManagedObject, from row: NSManagedObject
    ) throws(CoreDataError) {
        let known = row.entity.attributesByName
        for key in object.entity.attributesByName.keys.sorted() where known[key] != nil {
            guard try object.readValue(forKey: key) == nil,
                let value = try row.readValue(forKey: key)
            else { continue }
            try object.writeValue(value, forKey: key)
        }
    }
}

// `@unchecked Sendable` because its only field is immutable, and it is used on the queue of the
// context that saves.
extension BackfillNilsPolicy: @unchecked Sendable {}
