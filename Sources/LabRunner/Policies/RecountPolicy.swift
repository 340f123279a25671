import CoreDataEngine
import CoreDataModel
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
        for object in list.map(\.sourceObject) where object.entity.name == rule.entity {
            guard !object.isDeleted, let context = object.managedObjectContext else { continue }
            // The members that others have saved are seen only after a refresh.
            context.refresh(object, mergeChanges: true)
            let count = try bridgingErrors { () throws(CoreDataError) in
                try members(of: object)
            }
            try bridgingErrors { () throws(CoreDataError) in
                try object.writeValue(NSNumber(value: count), forKey: rule.key)
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
