import CoreDataTrace
import Foundation

/// A predicate made of other predicates with AND, OR or NOT.
public class NSCompoundPredicate: NSPredicate {
    /// How the parts are joined.
    public enum LogicalType: UInt, Sendable {
        case not = 0
        case and = 1
        case or = 2
    }

    /// How the parts are joined.
    public let compoundPredicateType: LogicalType
    /// The parts in the order given.
    // Read from the node: a second reference would keep the parts until after `deinit`, which
    // takes deep trees apart.
    package var parts: [NSPredicate] {
        guard case .compound(_, let parts) = node else { return [] }
        return parts
    }

    package init(_ type: LogicalType, _ parts: [NSPredicate]) {
        compoundPredicateType = type
        super.init(node: .compound(type, parts))
    }

    /// Joins predicates; without any, AND is true and OR is false.
    ///
    /// - Precondition: NOT takes exactly one predicate.
    public convenience init(type: LogicalType, subpredicates: [NSPredicate]) {
        trap(
            unless: type != .not || subpredicates.count == 1,
            "a NOT predicate takes one subpredicate, not \(subpredicates.count)")
        self.init(type, subpredicates)
    }

    /// Makes a predicate that is true when all parts are; true without any.
    public convenience init(andPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(.and, subpredicates)
    }

    /// Makes a predicate that is true when one part is; false without any.
    public convenience init(orPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(.or, subpredicates)
    }

    /// Makes a predicate that is true when `predicate` is not.
    public convenience init(notPredicateWithSubpredicate predicate: NSPredicate) {
        self.init(.not, [predicate])
    }

    /// The parts in the order given; each is an `NSPredicate`.
    public var subpredicates: [Any] { parts }
}

// @unchecked Sendable because it is immutable after `init`, as every predicate.
extension NSCompoundPredicate: @unchecked Sendable {}
