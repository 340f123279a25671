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
        var (left, right) = (left, right)
        return left.withUTF8 { left in right.withUTF8 { right in binary(left, right) } }
    }

    private static func binary(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> ComparisonResult {
        let shared = min(left.count, right.count)
        var difference = 0
        if let left = left.baseAddress, let right = right.baseAddress {
            difference = Int(memcmp(left, right, shared))
        }
        if difference == 0 { difference = left.count - right.count }
        if difference == 0 { return .orderedSame }
        return difference < 0 ? .orderedAscending : .orderedDescending
    }

    /// True when both have the same code points.
    package static func areSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && binary(left, right) == .orderedSame
    }

    private static func caseInsensitive(_ left: String, _ right: String) -> ComparisonResult {
        left.compare(right, options: .caseInsensitive)
    }
}
