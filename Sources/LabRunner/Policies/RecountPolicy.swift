import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import LabScenario

/// Resolves conflicts as `objectTrump` does, then sets a number to the count of a relationship.
///
/// The cure of counts that are kept beside the rows they count: no comparison of two numbers can
/// say how many rows there are, the rows can.
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

    /// What gave way to another object was a member of somebody, whose count has changed with it.
    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        let objects = list.flatMap {
            [$0.databaseObject].compactMap(\.self) + $0.conflictingObjects
        }
        var owners: [NSManagedObject] = []
        for object in objects {
            // Asked before the resolution, which cuts the links of those who give way.
            try bridgingErrors { () throws(CoreDataError) in
                guard let owner = try owner(of: object), !owners.contains(owner) else { return }
                owners.append(owner)
            }
        }
        try super.resolve(constraintConflicts: list)
        try recount(owners)
    }

    private func isOwner(_ object: NSManagedObject) -> Bool { object.entity.name == rule.entity }

    /// The object whose count an object is, or is counted in.
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
            // The members that others have saved are seen only after a refresh.
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

// `@unchecked Sendable` because the only field is immutable, and the policy is asked on the queue
// of the context that saves.
extension RecountPolicy: @unchecked Sendable {}
