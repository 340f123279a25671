import Foundation

/// A property that stores a copy of each assigned value, like `@NSCopying`.
///
/// As with `@NSCopying`, the initial value is not copied.
@propertyWrapper
public struct CopiedWhenSet<Value> {
    private var value: Value

    /// Creates a property with an initial value, which is not copied.
    public init(wrappedValue: Value) { value = wrappedValue }

    /// The value; setting it copies values that can be copied.
    public var wrappedValue: Value {
        get { value }
        set {
            let copied = (newValue as? any NSCopying)?.copy() as? Value
            // The copy of a mutable object has the immutable class.
            value =
                copied ?? (newValue as? any NSMutableCopying)?.mutableCopy() as? Value ?? newValue
        }
    }
}

// Sendable, because a value type with such a property may be passed to another thread.
extension CopiedWhenSet: Sendable where Value: Sendable {}
