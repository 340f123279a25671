import CoreDataModel
import CoreDataStore
import Foundation

/// What accessors call that were written as `@NSManaged var primitiveName`, which Core Data makes
/// for each property beside the one of its own name.
extension NSManagedObject {
    /// The value as the object has it, as ``primitiveValue(forKey:)`` gives it; a non-optional
    /// number is zero where it is nil. Traps where the value is not of the type.
    public final func managedPrimitiveValue<T: AttributeValue>(_ key: ManagedKey) -> T {
        guard let value = primitiveValue(forKey: key.name) else { return T._null }
        return ManagedValue.converted(value, to: T.self, key)
    }

    /// The value as the object has it, of what is no plain attribute.
    @_disfavoredOverload
    public final func managedPrimitiveValue<T>(_ key: ManagedKey) -> T {
        ManagedValue.typed(primitiveValue(forKey: key.name), key)
    }

    /// Sets the value as ``setPrimitiveValue(_:forKey:)`` does.
    public final func setManagedPrimitiveValue<T>(_ key: ManagedKey, _ value: T) {
        setPrimitiveValue(value, forKey: key.name)
    }
}
