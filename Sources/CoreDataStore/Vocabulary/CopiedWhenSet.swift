import Foundation

/// A property that keeps a copy of what it is set to, which `@NSCopying` means.
///
/// As there, the first value is kept as it is.
@propertyWrapper
public struct CopiedWhenSet<Value> {
    private var value: Value

    /// Makes a property with a first value, which is not copied.
    public init(wrappedValue: Value) { value = wrappedValue }

    /// The value; setting it copies what can be copied.
    public var wrappedValue: Value {
        get { value }
        set {
            let copied = (newValue as? any NSCopying)?.copy() as? Value
            // The copy of a mutable object is of the class that is not.
            value =
                copied ?? (newValue as? any NSMutableCopying)?.mutableCopy() as? Value ?? newValue
        }
    }
}

// A property of a value type may be in a value that is passed on.
extension CopiedWhenSet: Sendable where Value: Sendable {}
