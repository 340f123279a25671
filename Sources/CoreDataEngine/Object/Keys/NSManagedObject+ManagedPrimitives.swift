import CoreDataModel
import CoreDataStore
import Foundation

/// Implements accessors written as `@NSManaged var primitiveName`, which Core Data generates for
/// each property in addition to the regular accessors.
extension NSManagedObject {
    /// The object's value, as ``primitiveValue(forKey:)`` returns it; a nil value reads as zero if
    /// the type is a non-optional number. Traps if the value does not have the type.
    public final func managedPrimitiveValue<T: AttributeValue>(_ key: ManagedKey) -> T {
        guard let value = primitiveValue(forKey: key.name) else { return T._null }
        return ManagedValue.converted(value, to: T.self, key)
    }

    /// The object's value of a property that is not a plain attribute.
    @_disfavoredOverload
    public final func managedPrimitiveValue<T>(_ key: ManagedKey) -> T {
        ManagedValue.typed(primitiveValue(forKey: key.name), key)
    }

    /// Sets the value as ``setPrimitiveValue(_:forKey:)`` does.
    public final func setManagedPrimitiveValue<T>(_ key: ManagedKey, _ value: T) {
        setPrimitiveValue(value, forKey: key.name)
    }
}
