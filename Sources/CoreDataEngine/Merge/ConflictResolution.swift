import CoreDataModel
import CoreDataStore
import Foundation

/// Creates conflict objects for the conflicts of a save, and passes them to the context's merge
/// policy.
///
/// The save pipeline calls it on the context's queue, without holding a lock.
struct ConflictResolution {
    let context: NSManagedObjectContext

    func resolve(
        _ conflicts: [NSPersistentStoreCoordinator.Conflict]
    ) throws(CoreDataError) {
        assert(!conflicts.isEmpty, "the list of conflicts is empty")
        var origins = NotificationInfo.Origins()
        let registry = context.registry
        let list = conflicts.map { conflict in
            NSMergeConflict(
                source: registry.object(for: conflict.key), conflict: conflict, &origins)
        }
        for conflict in list {
            context.emit(
                .conflict(conflict.sourceObject, kind: "locking", with: conflict.current))
        }
        try ask(list)
    }

    func resolve(_ violations: [ConstraintViolation]) throws(CoreDataError) {
        let list = violations.map { conflict($0) }
        for (violation, conflict) in zip(violations, list) {
            for object in conflict.conflictingObjects {
                context.emit(.conflict(object, kind: "constraint", with: violation.persisted))
            }
        }
        try ask(list)
    }

    private func conflict(_ violation: ConstraintViolation) -> NSConstraintConflict {
        let objects = violation.planned.map { context.registry.object(for: $0) }
        var database: NSManagedObject?
        if let persisted = violation.persisted {
            let key = ObjectKey(
                entity: RowFormat.entity(persisted.cells), key: RowFormat.key(persisted.cells))
            let object = context.registry.object(for: key)
            if object.state.contains(.fault) { object.attach(persisted) }
            database = object
        }
        return NSConstraintConflict(
            constraint: violation.constraint.slots.map { violation.entity.values[$0].name },
            database: database,
            databaseSnapshot: violation.persisted.flatMap { database?.snapshot(of: $0) },
            conflicting: objects,
            conflictingSnapshots: objects.map { $0.committedSnapshot ?? [:] })
    }

    private func ask(_ list: [NSObject]) throws(CoreDataError) {
        assert(context.queue.isCurrent, "the policy changes objects off the context's queue")
        ConfinementScope.current?.meet(context, list)
        do {
            let policy = context.currentPolicy
            if type(of: policy) == NSMergePolicy.self, let list = list as? [NSMergeConflict] {
                // Does the same as `resolve(mergeConflicts:)`, which would cast each conflict.
                try policy.resolve(optimisticLockingConflicts: list)
            } else {
                try policy.resolve(mergeConflicts: list)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: any Error) -> CoreDataError {
        let ours = CoreDataError(error)
        let error = error as NSError
        let code = CoreDataError.Code(rawValue: error.code) ?? .mergeConflict
        return CoreDataError(
            code, error.localizedDescription,
            payload: .init(userInfo: error.userInfo, original: ours.payload?.original))
    }
}
