import Foundation

/// An order of strings, which also defines their equality.
///
/// A sort descriptor names the order by a selector, and a comparison by its options. Stores use the
/// same functions as collations, so memory and SQL agree.
package enum StringOrder: Hashable, Sendable {
    /// By code point, like SQLite's BINARY.
    case binary
    /// By code point, after differences of case, of marks (such as accents), or of both are
    /// removed.
    case folded(ignoringCase: Bool, marks: Bool)
    /// By the rules of the user's language.
    case localized(ignoringCase: Bool, marks: Bool)
    /// By the rules for file names: `item 9` before `item 10`.
    case localizedStandard

    package static let all: [StringOrder] = [
        .folded(ignoringCase: true, marks: false), .folded(ignoringCase: false, marks: true),
        .folded(ignoringCase: true, marks: true), .localized(ignoringCase: false, marks: false),
        .localized(ignoringCase: true, marks: false), .localized(ignoringCase: false, marks: true),
        .localized(ignoringCase: true, marks: true), .localizedStandard,
    ]

    package init?(selector name: String) {
        switch name {
        case "compare:": self = .binary
        case "caseInsensitiveCompare:": self = .folded(ignoringCase: true, marks: false)
        case "localizedCompare:": self = .localized(ignoringCase: false, marks: false)
        case "localizedCaseInsensitiveCompare:":
            self = .localized(ignoringCase: true, marks: false)
        case "localizedStandardCompare:": self = .localizedStandard
        default: return nil
        }
    }

    /// The order for a comparison's options. The option for normalized strings takes precedence:
    /// their code points are compared.
    package init(_ options: NSComparisonPredicate.Options) {
        let ignoresCase = options.contains(.caseInsensitive)
        let ignoresMarks = options.contains(.diacriticInsensitive)
        if options.contains(.normalized) {
            self = .binary
        } else if options.contains(.localeSensitive) {
            self = .localized(ignoringCase: ignoresCase, marks: ignoresMarks)
        } else if ignoresCase || ignoresMarks {
            self = .folded(ignoringCase: ignoresCase, marks: ignoresMarks)
        } else {
            self = .binary
        }
    }

    package func compare(_ left: String, _ right: String) -> ComparisonResult {
        switch self {
        case .binary: return Self.binary(left, right)
        case .folded(let ignoringCase, let marks):
            return FoldedOrder(ignoringCase: ignoringCase, marks: marks).compare(left, right)
        case .localized(let ignoringCase, let marks):
            return LocalOrder(ignoringCase: ignoringCase, marks: marks).compare(left, right)
        case .localizedStandard: return LocalOrder.compareNames(left, right)
        }
    }

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

    /// Whether both strings have the same code points.
    package static func areSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && binary(left, right) == .orderedSame
    }
}
