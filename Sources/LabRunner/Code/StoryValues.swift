import ContextHistory
import CoreData
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation

/// Describes objects and conflicts for a story, without firing a fault.
enum StoryValues {
    private static let valuesMax = 8
    private static let lengthMax = 60

    /// A name such as `Account 1`. The key of a new object differs from run to run and is left out.
    static func name(_ object: NSManagedObject) -> String {
        let entity = object.entity.name ?? ""
        return object.objectKey.isTemporary
            ? "a new \(entity)" : "\(entity) \(object.objectKey.key)"
    }

    private static func name(_ key: ObjectKey, in object: NSManagedObject) -> String {
        let model = object.managedObjectContext?.persistentStoreCoordinator?.frozenModel
        let entity = model?.layout[Int(key.entity)].name ?? ""
        return key.isTemporary ? "a new \(entity)" : "\(entity) \(key.key)"
    }

    static func all(_ object: NSManagedObject, _ sign: String = " ") -> [String] {
        guard !object.isFault, !object.isDeleted,
            let row = try? Row(current: object, name: { name($0, in: object) })
        else { return [] }
        return texts(row, object.layout, sign)
    }

    static func texts(_ row: Row, _ entity: EntityLayout, _ sign: String) -> [String] {
        let pairs = zip(entity.values, row.values).filter { $1 != .null }
        return pairs.prefix(valuesMax).map { "\($0.name)\(sign)\(cut($1.quoted))" }
            + (pairs.count > valuesMax ? ["…"] : [])
    }

    static func changes(of object: NSManagedObject) -> String {
        let values = object.changedValues()
        // Only attributes, because reading the previous value of a relationship could fire a fault.
        let attributes = values.keys.filter { object.entity.attributesByName[$0] != nil }
        let old = object.isInserted ? [:] : object.committedValues(forKeys: attributes)
        let parts = values.sorted { $0.key < $1.key }.map { key, value in
            let start = old[key].map { "\(text($0)) → " } ?? ""
            return "\(key) \(start)\(text(value))"
        }
        return parts.isEmpty ? name(object) : "\(name(object)): \(parts.joined(separator: ", "))"
    }

    static func text(_ value: Any) -> String {
        switch value {
        case is NSNull: "nil"
        case let object as NSManagedObject: name(object)
        case let id as NSManagedObjectID: name(id)
        case let objects as Set<NSManagedObject>:
            "{\(list(objects.map(name).sorted()))}"
        case let objects as NSOrderedSet:
            "[\(list(objects.array.map(text)))]"
        case let text as String: cut("\"\(text)\"")
        case let data as Data: "\(data.count) bytes"
        default: cut("\(value)")
        }
    }

    private static func name(_ id: NSManagedObjectID) -> String {
        let entity = id.entity.name ?? ""
        return id.isTemporaryID ? "a new \(entity)" : "\(entity) \(id.objectKey.key)"
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(valuesMax).joined(separator: ", ") + (names.count > valuesMax ? ", …" : "")
    }

    private static func cut(_ text: String) -> String {
        text.count > lengthMax ? text.prefix(lengthMax) + "…" : text
    }

    // MARK: Conflicts

    /// The conflict that a save has found. For each value that differs, it contains the value that
    /// was read, the context's value and the saved value.
    static func conflict(_ conflict: Any) -> (text: String, details: [String]) {
        switch conflict {
        case let locking as NSMergeConflict: self.locking(locking)
        case let constraint as NSConstraintConflict: self.constraint(constraint)
        default: ("finds a conflict", [])
        }
    }

    private static func locking(_ conflict: NSMergeConflict) -> (String, [String]) {
        let object = conflict.sourceObject
        let read = "read at version \(conflict.oldVersionNumber)"
        if conflict.newVersionNumber == 0 { return ("finds \(name(object)) deleted, \(read)", []) }
        let base = conflict.objectSnapshot ?? [:]
        let saved = conflict.cachedSnapshot ?? conflict.persistedSnapshot ?? [:]
        let own = object.changedValues()
        let details = base.keys.sorted().compactMap { key -> String? in
            let (was, now) = (text(base[key] ?? NSNull()), text(saved[key] ?? NSNull()))
            let mine = own[key].map(text) ?? was
            if was == now, was == mine { return nil }
            return "\(key): read \(was), here \(mine), saved \(now)"
        }
        let isDeleted = object.isDeleted ? ", deleted here" : ""
        return (
            "finds \(name(object)) at version \(conflict.newVersionNumber), \(read)\(isDeleted)",
            details
        )
    }

    private static func constraint(_ conflict: NSConstraintConflict) -> (String, [String]) {
        let objects = conflict.conflictingObjects
        let values = conflict.constraint.map { key in
            let value = objects.first.flatMap { $0.isFault ? nil : $0.value(forKey: key) }
            return "\(key) \(value.map(text) ?? "nil")"
        }
        let holder = conflict.databaseObject.map { "\(name($0)) with " } ?? "two objects with "
        return (
            "finds \(holder)\(values.joined(separator: ", ")), which must be unique",
            objects.map { "wanted by \(name($0))" }.sorted()
        )
    }

    static func policy(_ policy: Any) -> String {
        guard let policy = policy as? NSMergePolicy else { return "\(policy)" }
        guard type(of: policy) == NSMergePolicy.self else { return "\(type(of: policy))" }
        return CodeChange.name(policy.mergeType)
    }
}
