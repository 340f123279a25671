import Foundation

/// The right side of a comparison, prepared once for the operator.
package enum PreparedOperand {
    /// The right side depends on the object, or the operator needs no preparation.
    case none
    /// A string without the differences of case and marks that the options ignore.
    case folded(String)
    case wildcards(WildcardPattern)
    case regularExpression(RegularExpressionPattern)
    /// A large collection on the right side of IN, which is searched by hash.
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
            // The evaluation compiles an invalid pattern again and reports it.
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

/// A constant collection whose elements are hashed at the first access.
///
/// A store does not need the hashes, so its predicates never compute them.
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
