import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Converts between the model's values and the types of a program's accessors.
enum ManagedValue {
    /// Whether the type can be read directly from a slot's words. For example, an integer in the
    /// model cannot be read as a `Double`; it is converted.
    static func isRead(_ slot: ValueSlot, as type: Any.Type) -> Bool {
        guard slot.coding == .plain else { return false }
        let type = unwrapped(type)
        switch slot.kind {
        case .integer16, .integer32, .integer64, .boolean:
            return type is any FixedWidthInteger.Type || type == Bool.self
        case .double, .float, .date:
            return type is any BinaryFloatingPoint.Type || type == Date.self
        case .decimal: return type == Decimal.self
        case .string: return type == String.self
        case .uri: return type == URL.self
        case .uuid: return type == UUID.self
        case .binary: return type == Data.self
        case .toOne: return false
        }
    }

    private static func unwrapped(_ type: Any.Type) -> Any.Type {
        guard let optional = type as? any OptionalType.Type else { return type }
        return unwrapped(optional.wrappedType)
    }

    static func typed<T>(_ value: Any?, _ key: ManagedKey) -> T {
        if let typed = value as? T { return typed }
        // On Linux, a value such as a `String` does not cast to its class (`NSString`). It is
        // converted if the accessor has the type of the class.
        if let typed = (value as? any _ObjectiveCBridgeable)?._bridgeToObjectiveC() as? T {
            return typed
        }
        guard let value else {
            trap("'\(key)' is nil, and its accessor's type \(T.self) is not optional.")
        }
        trap("'\(key)' is a \(type(of: value)), and its accessor's type is \(T.self).")
    }

    /// Converts a non-nil value of an attribute that has another type in the model.
    static func converted<T: AttributeValue>(_ value: Any, to type: T.Type, _ key: ManagedKey) -> T
    {
        if let number = value as? NSNumber {
            let isWhole = number.doubleValue == Double(number.int64Value)
            let word = isWhole ? _Value.integer(number.int64Value) : .double(number.doubleValue)
            if type == Bool.self { return T._convert(.integer(number.boolValue ? 1 : 0)) }
            if isNumber(type) { return T._convert(word) }
        }
        return typed(value, key)
    }

    private static func isNumber(_ type: Any.Type) -> Bool {
        let type = unwrapped(type)
        return type is any FixedWidthInteger.Type || type is any BinaryFloatingPoint.Type
            || type == Bool.self
    }
}

/// The wrapped type of an optional type.
private protocol OptionalType {
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrappedType: Any.Type { Wrapped.self }
}
