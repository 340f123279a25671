import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import LabScenario

/// Resolves conflicts like `objectTrump`, and then sets a number to the count of a relationship.
///
/// Cures wrong counts in an attribute that stores the number of some rows. Both conflicting numbers
/// may be wrong, so the policy counts the rows.
final class RecountPolicy: NSMergePolicy {
    private let rule: RecountRule

    init(_ rule: RecountRule) {
        self.rule = rule
        super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        try super.resolve(optimisticLockingConflicts: list)
        try recount(list.map(\.sourceObject).filter(isOwner))
    }

    /// An object that loses a conflict leaves its owner's relationship, so the owner's count
    /// changes.
    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        let objects = list.flatMap {
            [$0.databaseObject].compactMap(\.self) + $0.conflictingObjects
        }
        var owners: [NSManagedObject] = []
        for object in objects {
            // The owners are found before the resolution, because it removes the links of losing
            // objects.
            try bridgingErrors { () throws(CoreDataError) in
                guard let owner = try owner(of: object), !owners.contains(owner) else { return }
                owners.append(owner)
            }
        }
        try super.resolve(constraintConflicts: list)
        try recount(owners)
    }

    private func isOwner(_ object: NSManagedObject) -> Bool { object.entity.name == rule.entity }

    /// The object whose count includes `object`, or `object` itself if it stores the count.
    private func owner(of object: NSManagedObject) throws(CoreDataError) -> NSManagedObject? {
        if isOwner(object) { return object }
        for (key, relationship) in object.entity.relationshipsByName
        where relationship.inverseRelationship?.name == rule.relationship && !relationship.isToMany
        {
            guard let owner = try object.readValue(forKey: key) as? NSManagedObject,
                isOwner(owner)
            else { continue }
            return owner
        }
        return nil
    }

    private func recount(_ owners: [NSManagedObject]) throws {
        for owner in owners {
            guard !owner.isDeleted, let context = owner.managedObjectContext else { continue }
            // Only a refresh reveals members that other contexts have saved.
            if !owner.isInserted { context.refresh(owner, mergeChanges: true) }
            try bridgingErrors { () throws(CoreDataError) in
                let count = try members(of: owner)
                try owner.writeValue(NSNumber(value: count), forKey: rule.key)
            }
        }
    }

    private func members(of object: NSManagedObject) throws(CoreDataError) -> Int {
        switch try object.readValue(forKey: rule.relationship) {
        case let set as NSSet: set.count
        case let ordered as NSOrderedSet: ordered.count
        default: 0
        }
    }
}

// `@unchecked Sendable` because the only field is immutable, and the policy is used on the queue of
// the context that saves.
extension RecountPolicy: @unchecked Sendable {}
