import Foundation

/// The right side of a comparison, ready for its operator.
///
/// Created with the comparison and read by the evaluator.
package enum PreparedOperand {
    /// Nothing to prepare: the right side depends on the object, or is compared unchanged.
    case none
    /// The string without differences of case and marks.
    case folded(String)
    case wildcards(WildcardPattern)
    case regularExpression(RegularExpressionPattern)
    /// The elements of a large collection for IN.
    case members(OperandMembers)

    /// The minimum size of a collection that is searched by hash.
    private static let hashedCountMin = 9

    init(
        _ operator: NSComparisonPredicate.Operator, _ right: NSExpression,
        _ options: NSComparisonPredicate.Options
    ) {
        self = .none
        switch (`operator`, right.constantOperand) {
        case (.matches, .string(let pattern)?):
            // The evaluation reports an invalid pattern when it compiles the pattern again.
            if let compiled = try? RegularExpressionPattern(pattern, options) {
                self = .regularExpression(compiled)
            }
        case (.like, .string(let pattern)?):
            self = .wildcards(WildcardPattern(StringSearch.folded(pattern, options)))
        case (.beginsWith, .string(let text)?), (.endsWith, .string(let text)?),
            (.contains, .string(let text)?):
            self = .folded(StringSearch.folded(text, options))
        case (.in, .collection(let collection)?):
            if options.isEmpty, collection.elements.count >= Self.hashedCountMin {
                self = .members(OperandMembers(collection))
            }
        default: break
        }
    }
}

/// The elements of a constant collection, hashed at the first access.
///
/// Only evaluation in memory needs the hashes, so a predicate for a store never pays for them.
package final class OperandMembers {
    private let collection: OperandCollection
    private let lock = NSLock()
    private var hashed: OperandSet?

    init(_ collection: OperandCollection) { self.collection = collection }

    func contains(_ operand: Operand) -> Bool {
        let members = lock.withLock {
            if let hashed { return hashed }
            var members = OperandSet()
            for element in collection.elements { _ = members.insert(Operand(element)) }
            hashed = members
            return members
        }
        return members.contains(operand)
    }
}

// @unchecked Sendable because the collection is a constant of an immutable predicate, and `hashed`
// is only read and written under `lock`.
extension OperandMembers: @unchecked Sendable {}
