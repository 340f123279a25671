import CoreDataStore
import Foundation

/// Sets a property of every element of a collection by key-value coding.
private enum ElementValues {
    /// Traps on elements that are not managed objects. On Linux, a Foundation collection returns
    /// copies of mutable dictionaries, so changes of them would be lost.
    static func set(_ value: Any?, _ key: String, of elements: some Sequence) {
        for element in elements {
            guard let object = element as? NSManagedObject else {
                trap(
                    CoreDataError(
                        .invalidArgument,
                        "A \(type(of: element as Any)) in a collection accepts no value for the key"
                            + " '\(key)'; only managed objects do."))
            }
            object.setValue(value, forKey: key)
        }
    }
}

extension NSArray {
    /// Sets a property of every element; traps on an element that is not a managed object.
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
