import CoreDataTrace
import Foundation

/// A predicate that joins other predicates by AND, OR or NOT.
open class NSCompoundPredicate: NSPredicate {
    /// The operator that joins the parts.
    public enum LogicalType: UInt, Sendable {
        case not = 0
        case and = 1
        case or = 2
    }

    /// The operator that joins the parts.
    open var compoundPredicateType: LogicalType {
        guard case .compound(let type, _) = node else { return .and }
        return type
    }
    /// The parts in the given order.
    // Not a stored property: a second reference to the parts would keep them alive until after
    // `deinit`, which releases deep trees step by step.
    package final var parts: [NSPredicate] {
        guard case .compound(_, let parts) = node else { return [] }
        return parts
    }

    package convenience init(_ type: LogicalType, _ parts: [NSPredicate]) {
        self.init(type: type, subpredicates: parts)
    }

    /// Joins predicates; without parts, AND is true and OR is false.
    ///
    /// - Precondition: NOT takes exactly one predicate.
    public init(type: LogicalType, subpredicates: [NSPredicate]) {
        trap(
            unless: type != .not || subpredicates.count == 1,
            "a NOT predicate takes one subpredicate, not \(subpredicates.count)")
        super.init(value: false)
        adopt(.compound(type, subpredicates))
    }

    /// Creates a predicate with the content of another one; see ``NSPredicate/init(coder:)``.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Creates a predicate that is true if all parts are true; true without parts.
    public convenience init(andPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(.and, subpredicates)
    }

    /// Creates a predicate that is true if any part is true; false without parts.
    public convenience init(orPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(.or, subpredicates)
    }

    /// Creates a predicate that is true if `predicate` is false.
    public convenience init(notPredicateWithSubpredicate predicate: NSPredicate) {
        self.init(.not, [predicate])
    }

    /// The parts in the given order; each is an `NSPredicate`.
    open var subpredicates: [Any] { parts }
}

// @unchecked Sendable because it is immutable after `init`, like every predicate.
extension NSCompoundPredicate: @unchecked Sendable {}
