import Foundation

/// A way to put strings in an order.
///
/// Stores use the same functions as collations, so that memory and SQL agree.
package enum StringOrder: Sendable {
    /// By code points, as SQLite's BINARY.
    case binary
    case caseInsensitive
    case localized
    case localizedCaseInsensitive
    /// As people sort file names: `item 9` before `item 10`.
    case localizedStandard

    /// The order that a sort descriptor's selector names; `nil` when it names none.
    package init?(selector name: String) {
        switch name {
        case "compare:": self = .binary
        case "caseInsensitiveCompare:": self = .caseInsensitive
        case "localizedCompare:": self = .localized
        case "localizedCaseInsensitiveCompare:": self = .localizedCaseInsensitive
        case "localizedStandardCompare:": self = .localizedStandard
        default: return nil
        }
    }

    /// Which of two strings comes first.
    package func compare(_ left: String, _ right: String) -> ComparisonResult {
        switch self {
        case .binary: Self.binary(left, right)
        case .caseInsensitive: Self.caseInsensitive(left, right)
        case .localized: left.localizedCompare(right)
        case .localizedCaseInsensitive: left.localizedCaseInsensitiveCompare(right)
        case .localizedStandard: left.localizedStandardCompare(right)
        }
    }

    /// The order of the code points.
    package static func binary(_ left: String, _ right: String) -> ComparisonResult {
        if areSame(left, right) { return .orderedSame }
        return left.utf8.lexicographicallyPrecedes(right.utf8)
            ? .orderedAscending : .orderedDescending
    }

    /// True when both have the same code points.
    package static func areSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
    }

    private static func caseInsensitive(_ left: String, _ right: String) -> ComparisonResult {
        left.compare(right, options: .caseInsensitive)
    }
}
