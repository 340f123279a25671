import CoreDataTrace
import Foundation

/// A predicate that compares the values of two expressions.
open class NSComparisonPredicate: NSPredicate {
    /// The options of string comparisons.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits of the options.
        public let rawValue: UInt

        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// `[c]`: upper and lower case are equal.
        public static let caseInsensitive = Options(rawValue: 0x01)
        /// `[d]`: letters with and without marks are equal.
        public static let diacriticInsensitive = Options(rawValue: 0x02)
        /// `[n]`: the strings are already normalized, so that bytes can be compared.
        public static let normalized = Options(rawValue: 0x04)
        /// `[l]`: the current locale determines order and folding.
        package static let localeSensitive = Options(rawValue: 0x08)
    }

    /// Whether the left value itself is compared, or its elements.
    public enum Modifier: UInt, Sendable {
        /// The left value itself is compared.
        case direct = 0
        /// Every element must pass.
        case all = 1
        /// One element must pass.
        case any = 2
    }

    /// The kinds of comparison.
    public enum Operator: UInt, Sendable {
        case lessThan = 0
        case lessThanOrEqualTo = 1
        case greaterThan = 2
        case greaterThanOrEqualTo = 3
        case equalTo = 4
        case notEqualTo = 5
        case matches = 6
        case like = 7
        case beginsWith = 8
        case endsWith = 9
        case `in` = 10
        case customSelector = 11
        case contains = 99
        case between = 100
    }

    /// The operands and the operator, whose parts are also public properties.
    package final var comparison: Comparison {
        guard case .comparison(let comparison) = node else {
            trap("the predicate's tree is not a comparison")
        }
        return comparison
    }

    package convenience init(comparison: Comparison) {
        self.init(
            leftExpression: comparison.left, rightExpression: comparison.right,
            modifier: comparison.modifier, type: comparison.operator, options: comparison.options)
        adopt(.comparison(comparison))
    }

    /// Creates a comparison of two expressions.
    public init(
        leftExpression: NSExpression, rightExpression: NSExpression, modifier: Modifier,
        type: Operator, options: Options = []
    ) {
        super.init(value: false)
        adopt(
            .comparison(
                Comparison(
                    left: leftExpression, right: rightExpression, operator: type,
                    modifier: modifier, options: options, selector: nil)))
    }

    /// Creates a comparison by a method of the left value, named by its selector.
    ///
    /// In memory, the selectors of `FUNCTION(…)` are supported; stores refuse the comparison.
    public init(
        leftExpression: NSExpression, rightExpression: NSExpression, customSelector: Selector
    ) {
        super.init(value: false)
        adopt(
            .comparison(
                Comparison(
                    left: leftExpression, right: rightExpression, operator: .customSelector,
                    modifier: .direct, options: [], selector: customSelector)))
    }

    /// Creates a predicate with the content of another one; see ``NSPredicate/init(coder:)``.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// The kind of comparison.
    open var predicateOperatorType: Operator { comparison.operator }
    /// Whether the left value itself is compared, or its elements.
    open var comparisonPredicateModifier: Modifier { comparison.modifier }
    /// The left side.
    open var leftExpression: NSExpression { comparison.left }
    /// The right side.
    open var rightExpression: NSExpression { comparison.right }
    /// The selector of a comparison of type `customSelector`.
    open var customSelector: Selector? { comparison.selector }
    /// The options of string comparisons.
    open var options: Options { comparison.options }
}

// @unchecked Sendable because it is immutable after `init`, like every predicate.
extension NSComparisonPredicate: @unchecked Sendable {}
