import Foundation

/// A collection in a comparison, over which collection operators, IN, ANY and SUBQUERY iterate.
package struct OperandCollection {
    package let elements: [Any]
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
    /// A set with decimal numbers becomes a list: Foundation on Linux ends the process when it
    /// hashes one.
    package var any: Any {
        isSet && !elements.contains { $0 is NSDecimalNumber || $0 is Decimal }
            ? NSSet(array: elements) as Any : elements as Any
    }
}
