import Foundation

/// A condition that selects objects, in memory or in a store.
///
/// A predicate is immutable. `NSPredicate(format:)` returns an instance of the suitable subclass:
/// ``NSComparisonPredicate`` or ``NSCompoundPredicate``.
open class NSPredicate: NSObject, NSCopying, FormatInitializable {
    /// A condition as a Swift function.
    public typealias Block = (Any?, [String: Any]?) -> Bool

    /// The content of the predicate, for code that translates it.
    // Unchecked because only `deinit` sets it, when no other reference to the predicate is left.
    @exclusivity(unchecked) package private(set) final var node: PredicateNode
    /// The number of levels of the tree, including this one.
    package final let depth: Int32

    package init(node: PredicateNode) {
        self.node = node
        depth = node.depth
        super.init()
    }

    deinit {
        guard depth > TreeDepth.plain else { return }
        var parts = DeepParts(of: node)
        node = .constant(false)
        parts.release()
    }

    /// Creates a predicate that is always `value`.
    public init(value: Bool) {
        node = .constant(value)
        depth = 1
        super.init()
    }

    /// Creates a predicate that calls a function. It works only in memory; stores reject it.
    public init(block: @escaping Block) {
        node = .block(block)
        depth = 1
        super.init()
    }

    /// The predicate as text that the parser reads back to an equal predicate.
    ///
    /// A block has no text form. It is printed as `BLOCKPREDICATE(…)`, which the parser rejects.
    open var predicateFormat: String { TreePrinter.text(of: self) }

    open override var description: String { predicateFormat }

    /// Returns the predicate itself, because it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Replaces the variables that `variables` contains by constants. Other variables are
    /// unchanged.
    ///
    /// If a value is an ``NSExpression``, the variable is replaced by this expression.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let bound = rewritten(by: VariableBinding(variables: variables))
        // Safe: rewriting keeps the class of each node.
        return bound as! Self
    }

    /// Does nothing; exists for code that calls it on decoded predicates.
    public func allowEvaluation() {}

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPredicate else { return false }
        return TreeComparison.areEqual(self, other)
    }

    open override var hash: Int { TreeHash.value(of: self) }
}

// @unchecked Sendable because a predicate is immutable after `init`: only `deinit` sets its node,
// and a caller that passes objects or blocks as constants is responsible for sharing them, as in
// Core Data.
extension NSPredicate: @unchecked Sendable {}
