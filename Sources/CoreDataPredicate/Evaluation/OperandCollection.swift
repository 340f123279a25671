import Foundation

/// A collection in a comparison.
///
/// An operand can contain it. Collection operators, IN, ANY and SUBQUERY iterate over it.
package struct OperandCollection {
    /// The original elements.
    package let elements: [Any]
    /// Whether the collection was a set.
    package let isSet: Bool

    package init(elements: [Any], isSet: Bool) {
        self.elements = elements
        self.isSet = isSet
    }

    /// Accepts arrays, sets, Foundation's collections, and dictionaries, whose values are the
    /// elements.
    package init?(_ value: Any) {
        switch value {
        case let array as NSArray where type(of: value) is AnyClass:
            self.init(elements: array.map { $0 }, isSet: false)
        case let set as NSSet where type(of: value) is AnyClass:
            self.init(elements: set.allObjects, isSet: true)
        case let set as NSOrderedSet:
            self.init(elements: set.array, isSet: false)
        case is any ExpressibleByDictionaryLiteral, is NSDictionary:
            return nil
        case let set as any SetAlgebra & Collection:
            self.init(elements: Self.elements(of: set), isSet: true)
        case let collection as any Collection:
            self.init(elements: Self.elements(of: collection), isSet: false)
        default:
            return nil
        }
    }

    private static func elements(of collection: some Collection) -> [Any] {
        collection.map { $0 as Any }
    }

    /// The collection as a plain Swift value.
    ///
    /// A set with decimal numbers becomes a list, because Foundation on Linux ends the process when
    /// it hashes a decimal number.
    package var any: Any {
        isSet && !elements.contains { $0 is NSDecimalNumber || $0 is Decimal }
            ? NSSet(array: elements) as Any : elements as Any
    }
}
