import Foundation
import Synchronization

/// Transforms values of one kind into another kind, and back if the transformation can be reversed.
///
/// On Apple's systems this class belongs to Foundation. A transformable attribute refers to its
/// transformer by a registered name. The transformer is used on the queues of all contexts that
/// read such an attribute.
///
/// Source: api-surface.md §16, semantics.md §10.
open class ValueTransformer: NSObject, ValueTransformerNaming {
    /// Creates a transformer. The initialiser is required, because a model can name a class to be
    /// instantiated.
    public required override init() { super.init() }

    /// The class of the values that ``transformedValue(_:)`` returns.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether ``reverseTransformedValue(_:)`` may be called.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Transforms a value; the base class returns it unchanged.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Transforms a value back; the base class calls ``transformedValue(_:)``.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    /// Registers a transformer under a name; nil removes the name.
    public class func setValueTransformer(
        _ transformer: ValueTransformer?, forName name: NSValueTransformerName
    ) {
        TransformerDirectory.shared.set(transformer, name.rawValue)
    }

    /// The names of all registered transformers.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
        TransformerDirectory.shared.names.map { NSValueTransformerName($0) }
    }
}

/// Lets `ValueTransformer(forName:)` return the registered transformer.
///
/// A class's initializer cannot return another object; an initializer in a protocol extension can.
public protocol ValueTransformerNaming {}

extension ValueTransformerNaming where Self: ValueTransformer {
    /// The transformer registered under the name, or a new one of the class with that name.
    public init?(forName name: NSValueTransformerName) {
        guard let found = TransformerDirectory.shared.find(name.rawValue) as? Self else {
            return nil
        }
        self = found
    }
}

/// The name of a value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as a string.
    public var rawValue: String

    /// Creates a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Creates a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Negates a Boolean value.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// Whether a value is nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// Whether a value is not nil.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// Converts between an unkeyed archive and its object. Linux has no archiver for unkeyed
    /// archives.
    public static let unarchiveFromDataTransformerName = NSValueTransformerName(
        "NSUnarchiveFromData")
    /// Converts between a keyed archive and its object, of any class.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName(
        "NSKeyedUnarchiveFromData")
    /// Converts between a keyed archive and its object, of allowed classes.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
        "NSSecureUnarchiveFromData")
}

/// The transformers of the process by name.
///
/// `@unchecked Sendable` because `lock` guards the dictionary. The transformers themselves are used
/// by several threads at the same time, as on Apple's systems.
final class TransformerDirectory: @unchecked Sendable {
    static let shared = TransformerDirectory()

    private let lock = NSLock()
    private var transformers: [String: ValueTransformer] = [
        NSValueTransformerName.negateBooleanTransformerName.rawValue: NegatingTransformer(),
        NSValueTransformerName.isNilTransformerName.rawValue: NilTransformer(),
        NSValueTransformerName.isNotNilTransformerName.rawValue: NotNilTransformer(),
        NSValueTransformerName.keyedUnarchiveFromDataTransformerName.rawValue:
            KeyedUnarchiveTransformer(),
        NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue:
            NSSecureUnarchiveFromDataTransformer(),
    ]

    var names: [String] { lock.withLock { transformers.keys.sorted() } }

    func set(_ transformer: ValueTransformer?, _ name: String) {
        lock.withLock { transformers[name] = transformer }
    }

    /// The registered transformer. If the name is not registered, creates and registers a
    /// transformer of the class with that name.
    func find(_ name: String) -> ValueTransformer? {
        lock.withLock {
            if let known = transformers[name] { return known }
            guard let made = Self.makeByClass(name) else { return nil }
            transformers[name] = made
            return made
        }
    }

    private static func makeByClass(_ name: String) -> ValueTransformer? {
        // These Foundation classes have other names on Linux.
        switch name {
        case "NSKeyedUnarchiveFromDataTransformer", "NSUnarchiveFromDataTransformer",
            "NSUnarchiveFromData":
            return KeyedUnarchiveTransformer()
        default: return NamedClasses.find(name, as: ValueTransformer.Type.self)?.init()
        }
    }
}

private final class NegatingTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override func transformedValue(_ value: Any?) -> Any? {
        NSNumber(value: (value as? NSNumber)?.boolValue != true)
    }
}

private class NilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override class func allowsReverseTransformation() -> Bool { false }

    override func transformedValue(_ value: Any?) -> Any? {
        NSNumber(value: AttributeCoding.flattened(value) == nil)
    }
}

private final class NotNilTransformer: NilTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
        NSNumber(value: AttributeCoding.flattened(value) != nil)
    }
}
