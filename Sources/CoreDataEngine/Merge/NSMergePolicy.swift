import CoreDataStore
import CoreDataTrace
import Foundation

/// Resolves the conflicts between a save and the changes that other saves have written before.
///
/// The two built-in policies that merge by property differ only if both sides have changed the same
/// property.
///
/// A subclass overrides one of the `resolve` methods, calls super and then adjusts the objects.
/// These changes are part of the same save; see
/// <https://developer.apple.com/documentation/coredata/nsmergepolicy>. A policy runs on the queue
/// of the saving context, and only if that context saves to a coordinator.
open class NSMergePolicy: NSObject {
    private let type: NSMergePolicyType

    /// Creates a policy that behaves like a built-in one.
    public init(merge ty: NSMergePolicyType) {
        type = ty
        super.init()
    }

    /// Unavailable, because a policy is created from the type of a built-in policy.
    @available(*, unavailable, message: "Use init(merge:).")
    public override init() {
        trap("A merge policy needs a type. Use init(merge:).")
    }

    /// Fails the save with the conflicts; the default of every context.
    open class var error: NSMergePolicy { shared.error }
    /// Takes the store's value of a property that both sides changed.
    open class var mergeByPropertyStoreTrump: NSMergePolicy { shared.storeTrump }
    /// Takes the object's value of a property that both sides changed.
    open class var mergeByPropertyObjectTrump: NSMergePolicy { shared.objectTrump }
    /// Overwrites the row with all values of the object.
    open class var overwrite: NSMergePolicy { shared.overwrite }
    /// Drops the object's changes.
    open class var rollback: NSMergePolicy { shared.rollback }

    private struct Shared {
        let error = NSMergePolicy(merge: .errorMergePolicyType)
        let storeTrump = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        let objectTrump = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
        let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)
    }

    // Safe, because the built-in policies have no state but their type.
    nonisolated(unsafe) private static let shared = Shared()

    static func of(_ type: NSMergePolicyType) -> NSMergePolicy {
        switch type {
        case .errorMergePolicyType: shared.error
        case .mergeByPropertyStoreTrumpMergePolicyType: shared.storeTrump
        case .mergeByPropertyObjectTrumpMergePolicyType: shared.objectTrump
        case .overwriteMergePolicyType: shared.overwrite
        case .rollbackMergePolicyType: shared.rollback
        }
    }

    /// The type of the built-in policy that this policy is or behaves like.
    open var mergeType: NSMergePolicyType { type }

    /// Resolves all conflicts of one save: locking conflicts first, constraint conflicts second.
    ///
    /// - Throws: an error that makes the save fail; `save()` throws it.
    open func resolve(mergeConflicts list: [Any]) throws {
        let locking = list.compactMap { $0 as? NSMergeConflict }
        if !locking.isEmpty { try resolve(optimisticLockingConflicts: locking) }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Resolves conflicts with newer rows.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        if mergeType == .errorMergePolicyType, !mutant(.errorPolicyIsSilent) {
            throw MergeErrors.locking(list).nsError
        }
        for conflict in list { LockingResolution(type: mergeType).resolve(conflict) }
    }

    /// Resolves conflicts of uniqueness constraints.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        if mergeType == .errorMergePolicyType { throw MergeErrors.constraint(list).nsError }
        for conflict in list {
            try bridgingErrors { () throws(CoreDataError) in
                try ConstraintResolution(type: mergeType).resolve(conflict)
            }
        }
    }
}

/// Fails the save with the conflicts.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// Takes the store's value of a property that both sides changed.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject {
    NSMergePolicy.mergeByPropertyStoreTrump
}
/// Takes the object's value of a property that both sides changed.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject {
    NSMergePolicy.mergeByPropertyObjectTrump
}
/// Overwrites the row with all values of the object.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// Drops the object's changes.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }

/// The errors of unresolved conflicts.
enum MergeErrors {
    static func locking(_ conflicts: [NSMergeConflict]) -> CoreDataError {
        CoreDataError(
            .mergeConflict, "Could not merge changes.",
            objects: conflicts.map(\.sourceObject.objectKey),
            payload: .init(userInfo: [NSPersistentStoreSaveConflictsErrorKey: conflicts]))
    }

    static func constraint(_ conflicts: [NSConstraintConflict]) -> CoreDataError {
        CoreDataError(
            .constraintConflict, "Could not merge changes.",
            objects: conflicts.flatMap { $0.conflictingObjects.map(\.objectKey) },
            payload: .init(userInfo: [NSPersistentStoreSaveConflictsErrorKey: conflicts]))
    }
}
