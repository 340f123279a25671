import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation

/// Adds objects to relationships, and removes objects from relationships, by key.
enum Relating {
    /// Sets a to-one relationship to the object, or adds the objects to a to-many relationship.
    static func add(
        _ objects: [NSManagedObject], to key: String, of owner: NSManagedObject
    ) throws(CoreDataError) {
        guard owner.layout.toManySlot(named: key) != nil else {
            return try owner.writeValue(objects.first, forKey: key)
        }
        let members = try members(of: owner, key)
        let added = objects.filter { object in !members.contains { $0 === object } }
        try owner.writeValue(members + added, forKey: key)
    }

    /// Sets a to-one relationship to nil, or removes the objects from a to-many relationship.
    static func remove(
        _ objects: [NSManagedObject], from key: String, of owner: NSManagedObject
    ) throws(CoreDataError) {
        guard owner.layout.toManySlot(named: key) != nil else {
            return try owner.writeValue(nil, forKey: key)
        }
        let members = try members(of: owner, key)
        let left = members.filter { member in !objects.contains { $0 === member } }
        try owner.writeValue(left, forKey: key)
    }

    static func members(
        of owner: NSManagedObject, _ key: String
    ) throws(CoreDataError) -> [NSManagedObject] {
        switch try owner.readValue(forKey: key) {
        case let set as NSSet: return set.allObjects.compactMap { $0 as? NSManagedObject }
        case let ordered as NSOrderedSet: return ordered.array.compactMap { $0 as? NSManagedObject }
        default: return []
        }
    }
}
