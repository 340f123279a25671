import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// Implements the public methods of key-value coding with methods that read and write one property.
extension NSManagedObject {
    /// Implements ``value(forKey:)``.
    final func keyedValue(_ key: String) -> Any? {
        do {
            return try readValue(forKey: key)
        } catch {
            if error.code == .unknownKey { return value(forUndefinedKey: key) }
            return reading(key) { () throws(CoreDataError) in try readValue(forKey: key) }
        }
    }

    /// Implements ``setValue(_:forKey:)``.
    final func setKeyedValue(_ value: Any?, _ key: String) {
        do {
            try writeValue(value, forKey: key)
        } catch {
            if error.code == .unknownKey { return setValue(value, forUndefinedKey: key) }
            if error.code == .invalidArgument, AttributeCoding.flattened(value) == nil,
                !isModelled(key)
            {
                return setNilValueForKey(key)
            }
            trap(error)
        }
    }

    /// Implements ``value(forKeyPath:)``. Objects are read with ``value(forKey:)``; collections and
    /// plain values are read as in predicates.
    final func keyedValue(atPath keyPath: String) -> Any? {
        var keys = keyPath.split(separator: ".").map(String.init)[...]
        var object = self
        while let key = keys.first, !key.hasPrefix("@") {
            keys.removeFirst()
            let next = key == "self" || key == "SELF" ? object : object.value(forKey: key)
            guard let next = AttributeCoding.flattened(next) else { return nil }
            guard let nextObject = next as? NSManagedObject else {
                return orTrap { () throws(CoreDataError) in
                    try Self.value(at: keys, of: next, keyPath)
                }
            }
            object = nextObject
        }
        if keys.isEmpty { return object }
        return orTrap { () throws(CoreDataError) in try Self.value(at: keys, of: object, keyPath) }
    }

    private static func value(
        at keys: ArraySlice<String>, of object: Any, _ keyPath: String
    ) throws(CoreDataError) -> Any? {
        if keys.isEmpty { return object }
        do {
            return try KeyValueReading.value(at: keys, of: object)
        } catch {
            throw CoreDataError(.unknownKey, "\(keyPath): \(error.message)")
        }
    }

    /// Implements ``setValue(_:forKeyPath:)``.
    final func setKeyedValue(_ value: Any?, atPath keyPath: String) {
        let (owner, key) = orTrap { () throws(CoreDataError) in try end(ofPath: keyPath) }
        owner?.setValue(value, forKey: key)
    }

    /// The object that has the last property of a path, and the property's key.
    ///
    /// - Returns: nil as the owner if a to-one relationship in the path is nil.
    final func end(
        ofPath keyPath: String
    ) throws(CoreDataError) -> (owner: NSManagedObject?, key: String) {
        var object = self
        var names = keyPath.split(separator: ".").map(String.init)
        if names.isEmpty { throw object.unknownKey(keyPath) }
        // The rest of the path may name an element of a composite attribute, as in `place.city`.
        while names.count > 1,
            object.layout.valueSlot(named: names.joined(separator: ".")) == nil
        {
            let key = names.removeFirst()
            guard let next = object.value(forKey: key) else { return (nil, key) }
            guard let next = next as? NSManagedObject else {
                throw CoreDataError(
                    .invalidArgument,
                    "The key path '\(keyPath)' continues after '\(key)', which is a"
                        + " \(Swift.type(of: next)) and not a managed object.")
            }
            object = next
        }
        return (object, names.joined(separator: "."))
    }

    final func owner(ofPath keyPath: String) -> (owner: NSManagedObject, key: String) {
        orTrap { () throws(CoreDataError) in
            let (owner, key) = try end(ofPath: keyPath)
            guard let owner else {
                throw CoreDataError(
                    .invalidArgument,
                    "'\(keyPath)' of \(objectID) has no members: '\(key)' in the path is nil.")
            }
            return (owner, key)
        }
    }
}
