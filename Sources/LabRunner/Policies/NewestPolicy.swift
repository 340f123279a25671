import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation

/// Lets the side with the larger value of a key win, such as the newer time stamp.
///
/// If both sides have changed a property, the winner's value is kept. If only one side has changed
/// it, the changed value is kept. If the stamps are equal, or the object has no stamp, the store's
/// values are kept.
final class NewestPolicy: NSMergePolicy {
    private let key: String

    init(_ key: String) {
        self.key = key
        super.init(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        var newer: [NSMergeConflict] = []
        var older: [NSMergeConflict] = []
        for conflict in list {
            let own = try bridgingErrors { () throws(CoreDataError) in
                try stamp(of: conflict.sourceObject)
            }
            let stored = (conflict.persistedSnapshot ?? conflict.cachedSnapshot)?[key]
            if Self.isLater(own, than: stored) {
                newer.append(conflict)
            } else {
                older.append(conflict)
            }
        }
        if !newer.isEmpty {
            try Self.objectWins.resolve(optimisticLockingConflicts: newer)
        }
        if !older.isEmpty { try super.resolve(optimisticLockingConflicts: older) }
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        for conflict in list {
            var isNewer = false
            for object in conflict.conflictingObjects {
                let own = try bridgingErrors { () throws(CoreDataError) in try stamp(of: object) }
                isNewer = isNewer || Self.isLater(own, than: conflict.databaseSnapshot?[key])
            }
            if isNewer {
                try Self.objectWins.resolve(constraintConflicts: [conflict])
            } else {
                try super.resolve(constraintConflicts: [conflict])
            }
        }
    }

    private static var objectWins: NSMergePolicy { .mergeByPropertyObjectTrump }

    private func stamp(of object: NSManagedObject) throws(CoreDataError) -> Any? {
        guard !object.isDeleted, object.entity.attributesByName[key] != nil else { return nil }
        return try object.readValue(forKey: key)
    }

    private static func isLater(_ one: Any?, than other: Any?) -> Bool {
        switch (one, other) {
        case (nil, _), (is NSNull, _): false
        case (_, nil), (_, is NSNull): true
        case (let one as Date, let other as Date): one > other
        case (let one as NSNumber, let other as NSNumber): one.compare(other) == .orderedDescending
        case (let one as String, let other as String): one > other
        default: false
        }
    }
}

// `@unchecked Sendable` because its only field is immutable, and it is used on the queue of the
// context that saves.
extension NewestPolicy: @unchecked Sendable {}
