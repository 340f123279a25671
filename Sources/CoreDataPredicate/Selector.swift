import Foundation

/// The name of a method, such as `caseInsensitiveCompare:`.
///
/// Swift on Linux has no selectors. This type names the comparisons that sort descriptors support:
/// `NSSortDescriptor(key:ascending:selector: "localizedStandardCompare:")`.
public struct Selector: ExpressibleByStringLiteral, Hashable, Sendable, CustomStringConvertible {
    /// The method's name with its colons.
    public let name: String

    /// Creates a selector from a method's name with its colons.
    public init(_ name: String) { self.name = name }

    /// Creates a selector from a literal of the method's name.
    public init(stringLiteral value: String) { name = value }

    /// The method's name with its colons.
    public var description: String { name }
}

/// Returns the method's name with its colons.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.name }

/// Creates a selector from a method's name with its colons.
public func NSSelectorFromString(_ name: String) -> Selector { Selector(name) }
