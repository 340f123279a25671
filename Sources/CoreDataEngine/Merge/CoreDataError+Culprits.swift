import CoreDataModel
import CoreDataStore

extension CoreDataError {
    /// The objects that the error names, directly or in its conflicts.
    package var culprits: [ObjectKey] {
        let named = objects + details.flatMap(\.objects)
        if !named.isEmpty { return named }
        let conflicts = payload?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any]
        return (conflicts ?? []).flatMap { conflict -> [ObjectKey] in
            switch conflict {
            case let locking as NSMergeConflict: [locking.sourceObject.objectKey]
            case let constraint as NSConstraintConflict:
                constraint.conflictingObjects.map(\.objectKey)
            default: []
            }
        }
    }
}
