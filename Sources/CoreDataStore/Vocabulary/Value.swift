import CRowFormat
import Foundation

/// One stored value, as contexts and stores exchange it.
///
/// Integers and booleans are `integer`. Doubles, floats and dates (seconds since 2001-01-01 UTC)
/// are `double`. Strings and URIs are `string`. A to-one relationship is the key of its
/// destination; a negative key represents an object without a row.
///
/// An `object` never leaves its context. It is the value of an attribute without a type, or of a
/// transformable attribute whose value is not encoded yet. A plan for a store or a parent contains
/// the encoded bytes.
///
/// Public only because typed accessors are inlined into client modules; this package uses the name
/// ``Value``.
public enum _Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case double(Double)
    case string(String)
    case data(Data)
    case uuid(UUID)
    indirect case decimal(Decimal)
    case reference(_ObjectKey)
    case object(_HeldObject)

    @inlinable package var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    package var isObject: Bool {
        if case .object = self { return true }
        return false
    }
}

/// An object of the program as the value of an attribute.
///
/// `@unchecked Sendable` because it never leaves its context, which is used on one queue at a time.
public final class _HeldObject: @unchecked Sendable, Equatable {
    package let object: Any
    /// The bytes into which the attribute's transformer has encoded the object during the running
    /// save.
    package var bytes: Data?

    package init(_ object: Any) {
        self.object = object
    }

    /// Whether both values contain the same object.
    public static func == (left: _HeldObject, right: _HeldObject) -> Bool { left === right }
}

@usableFromInline package typealias Value = _Value
@usableFromInline package typealias ObjectKey = _ObjectKey

/// Identifies an object by the entity's index in the model's layout and the primary key.
///
/// Negative keys are temporary; they are unique in the process and never reach a file.
///
/// Public for the same reason as ``_Value``; this package uses the name ``ObjectKey``.
public struct _ObjectKey: Sendable, Hashable {
    @usableFromInline package let key: Int64
    @usableFromInline package let entity: Int32

    @inlinable package init(entity: Int, key: Int64) {
        self.entity = Int32(truncatingIfNeeded: entity)
        self.key = key
    }

    @inlinable package var isTemporary: Bool { key < 0 }

    /// The entity and the key in one word, as in a packed row.
    @inlinable package var packed: UInt64 { faultline_reference_word(entity, key) }

    @inlinable package init(packed: UInt64) {
        entity = faultline_reference_entity(packed)
        key = faultline_reference_key(packed)
    }

    // `==` and `hash(into:)` are not synthesized, so that other modules can inline them.
    /// Whether both keys belong to the same object.
    @inlinable public static func == (left: Self, right: Self) -> Bool {
        left.key == right.key && left.entity == right.entity
    }

    /// Hashes the key and the entity.
    @inlinable public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(entity)
    }
}
