import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore

/// Formats the conflicts of a failed save for a transcript: the object, the row version that the
/// context read, and the values of the context and of the store.
struct ConflictText {
    let world: LabWorld

    func lines(of error: CoreDataError) -> [String] {
        let conflicts = error.payload?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any]
        return (conflicts ?? []).flatMap { conflict -> [String] in
            switch conflict {
            case let locking as NSMergeConflict: lines(of: locking)
            case let constraint as NSConstraintConflict: [line(of: constraint)]
            default: []
            }
        } + error.details.flatMap(lines)
    }

    private func lines(of conflict: NSMergeConflict) -> [String] {
        let object = conflict.sourceObject
        let alias = world.alias(object.objectKey)
        guard let current = conflict.current else {
            return ["\(alias) is version \(conflict.oldVersionNumber) here, and its row is deleted"]
        }
        let head =
            "\(alias) is version \(conflict.oldVersionNumber) here"
            + " and version \(conflict.newVersionNumber) where it is saved"
        let saved = world.row(current.cells, object.layout).values
        let base = object.cells.map { world.row($0, object.layout).values }
        guard !object.isFault, !object.isDeleted,
            let own = try? Row(current: object, name: world.alias).values
        else { return [object.isDeleted ? head + "; it is deleted here" : head] }
        return [head]
            + object.layout.values.indices.compactMap { slot in
                let read = base?[slot] ?? .none
                if read == own[slot], read == saved[slot] { return nil }
                return "\(alias).\(object.layout.values[slot].name): read as \(read.quoted),"
                    + " here \(own[slot].quoted), saved \(saved[slot].quoted)"
            }
    }

    private func line(of conflict: NSConstraintConflict) -> String {
        let objects = conflict.conflictingObjects
        let values = conflict.constraint.map { key in
            guard let first = objects.first, let slot = first.layout.valueSlot(named: key),
                !first.isFault, let row = try? Row(current: first, name: world.alias)
            else { return key }
            return "\(key) = \(row.values[slot].quoted)"
        }
        let names = objects.map { world.alias($0.objectKey) }.sorted()
        let holder = conflict.databaseObject.map {
            "; the row of \(world.alias($0.objectKey)) has it"
        }
        return "\(values.joined(separator: ", ")) is set by \(names.joined(separator: " and "))"
            + (holder ?? "")
    }
}
