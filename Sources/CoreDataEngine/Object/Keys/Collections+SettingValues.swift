import CoreDataStore
import Foundation

/// Key-value coding's way to set a property of every element of a collection.
private enum ElementValues {
    /// Elements are managed objects; all others trap. Foundation on Linux hands out a copy of a
    /// mutable dictionary in a collection, so that a change of it would be lost.
    static func set(_ value: Any?, _ key: String, of elements: some Sequence) {
        for element in elements {
            guard let object = element as? NSManagedObject else {
                trap(
                    CoreDataError(
                        .invalidArgument,
                        "A \(type(of: element as Any)) in a collection takes no value for the key"
                            + " '\(key)'; managed objects do."))
            }
            object.setValue(value, forKey: key)
        }
    }
}

extension NSArray {
    /// Sets a property of every element; traps on one that is no managed object.
    public func setValue(_ value: Any?, forKey key: String) {
        ElementValues.set(value, key, of: self)
    }
}

extension NSSet {
    /// Sets a property of every element, as `NSArray` does.
    public func setValue(_ value: Any?, forKey key: String) {
        ElementValues.set(value, key, of: self)
    }
}

extension NSOrderedSet {
    /// Sets a property of every element, as `NSArray` does.
    public func setValue(_ value: Any?, forKey key: String) {
        ElementValues.set(value, key, of: self)
    }
}
