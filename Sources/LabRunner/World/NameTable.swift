import ContextHistory
import CoreDataModel
import CoreDataStore

/// Assigns each object a name that is the same in every run. It is the name in the setup, or in the
/// step that inserted the object. Any other object is named by its entity and row number. Worlds
/// keep one table for each schedule.
struct NameTable {
    private let layout: ModelLayout
    private var names: [ObjectKey: ObjectName] = [:]
    private var given: Set<ObjectKey> = []
    private var taken: Set<String> = []

    init(layout: ModelLayout) {
        self.layout = layout
    }

    /// Names an object after the file. If it already has a name from the file, it keeps that name.
    mutating func name(_ key: ObjectKey, _ wanted: String) -> ObjectName {
        if given.contains(normal(key)), let known = names[normal(key)] { return known }
        given.insert(normal(key))
        return add(key, wanted)
    }

    private mutating func add(_ key: ObjectKey, _ wanted: String) -> ObjectName {
        var alias = wanted
        var number = 2
        while !taken.insert(alias).inserted {
            alias = "\(wanted)#\(number)"
            number += 1
        }
        let name = ObjectName(alias: alias, entity: Int(key.entity))
        names[normal(key)] = name
        return name
    }

    mutating func name(_ key: ObjectKey) -> ObjectName {
        if let known = names[normal(key)] { return known }
        let entity = layout[Int(key.entity)].name
        // Temporary keys differ from run to run, so they must not be visible.
        return add(key, key.isTemporary ? "new \(entity)" : "\(entity)#\(key.key)")
    }

    /// Records that the object has a new key.
    mutating func move(_ old: ObjectKey, to new: ObjectKey) {
        guard old != new, let name = names[normal(old)] else { return }
        if names[normal(new)] == nil { names[normal(new)] = name }
        if given.contains(normal(old)) { given.insert(normal(new)) }
    }

    /// Records that the object has a new key. Another thread may already have created a name for
    /// this key.
    ///
    /// - Returns: the name that the other thread created, and the valid name.
    mutating func unite(_ old: ObjectKey, _ new: ObjectKey) -> (made: String, given: String)? {
        guard old != new, let name = names[normal(old)], let met = names[normal(new)],
            met.alias == "\(layout[Int(new.entity)].name)#\(new.key)"
        else {
            move(old, to: new)
            return nil
        }
        names[normal(new)] = name
        given.insert(normal(new))
        return (met.alias, name.alias)
    }

    /// Subentities share the numbers of their root.
    private func normal(_ key: ObjectKey) -> ObjectKey {
        ObjectKey(entity: layout[Int(key.entity)].rootIndex, key: key.key)
    }
}
