import CoreDataEngine
import CoreDataModel
import Foundation

/// Makes another policy misbehave: if a new object loses a conflict over a constraint, references
/// to it remain, although it never gets a row.
final class DanglingLosersPolicy: NSMergePolicy {
    private struct Link {
        let owner: NSManagedObject
        let key: String
    }

    private let base: NSMergePolicy

    init(_ base: NSMergePolicy) {
        self.base = base
        super.init(merge: base.mergeType)
    }

    override func resolve(mergeConflicts list: [Any]) throws {
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        let others = list.filter { !($0 is NSConstraintConflict) }
        if !others.isEmpty { try base.resolve(mergeConflicts: others) }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        try base.resolve(optimisticLockingConflicts: list)
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        let new = list.flatMap(\.conflictingObjects).filter(\.isInserted)
        guard let context = new.first?.managedObjectContext else {
            return try base.resolve(constraintConflicts: list)
        }
        try context.obtainPermanentIDs(for: new)
        let links = new.map { (id: $0.objectID, object: $0, links: Self.links(to: $0)) }
        try base.resolve(constraintConflicts: list)
        for (id, object, links) in links where object.managedObjectContext == nil {
            for link in links where !link.owner.isDeleted {
                // The reference must not move to the surviving object. The code does not read the
                // members of the losing object.
                link.owner.setValue(nil, forKey: link.key)
                link.owner.setPrimitiveValue(context.object(with: id), forKey: link.key)
            }
        }
    }

    private static func links(to object: NSManagedObject) -> [Link] {
        object.entity.relationshipsByName.flatMap { name, relationship -> [Link] in
            guard let inverse = relationship.inverseRelationship, !inverse.isToMany else {
                return []
            }
            let owners: [NSManagedObject] =
                switch object.value(forKey: name) {
                case let set as Set<NSManagedObject>: Array(set)
                case let ordered as NSOrderedSet: ordered.compactMap { $0 as? NSManagedObject }
                case let one as NSManagedObject: [one]
                default: []
                }
            return owners.map { Link(owner: $0, key: inverse.name) }
        }
    }
}

// `@unchecked Sendable` because its only field is immutable, and it is used on the queue of the
// context that saves.
extension DanglingLosersPolicy: @unchecked Sendable {}
