import Foundation

/// A condition that selects objects, in memory or in a store.
///
/// A predicate never changes after it was made. `NSPredicate(format:)` gives an instance of the
/// subclass that fits the text: ``NSComparisonPredicate`` or ``NSCompoundPredicate``.
open class NSPredicate: NSObject, NSCopying, FormatInitializable {
    /// A condition as a Swift function.
    public typealias Block = (Any?, [String: Any]?) -> Bool

    /// What the predicate is, for translators; read it with a `switch`.
    // Unchecked because only `deinit` sets it, when nobody else has the predicate any more.
    @exclusivity(unchecked) package private(set) final var node: PredicateNode
    /// The number of levels of the tree below, this one among them.
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

    /// Makes a predicate that is always `value`.
    public init(value: Bool) {
        node = .constant(value)
        depth = 1
        super.init()
    }

    /// Makes a predicate that asks a function; it works in memory only, stores refuse it.
    public init(block: @escaping Block) {
        node = .block(block)
        depth = 1
        super.init()
    }

    /// The predicate as text that the parser reads back to an equal predicate.
    ///
    /// A block has no text; it prints as `BLOCKPREDICATE(…)`, which does not parse.
    open var predicateFormat: String { TreePrinter.text(of: self) }

    open override var description: String { predicateFormat }

    /// Returns the predicate itself, because it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Makes every variable that `variables` names a constant; other variables stay.
    ///
    /// An ``NSExpression`` among the values takes the variable's place as it is.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let bound = rewritten(by: VariableBinding(variables: variables))
        // Safe: a rewriting keeps the class of each node.
        return bound as! Self
    }

    /// Does nothing; it exists because decoded predicates ask for it.
    public func allowEvaluation() {}

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPredicate else { return false }
        return TreeComparison.areEqual(self, other)
    }

    open override var hash: Int { TreeHash.value(of: self) }
}

// @unchecked Sendable because a predicate is immutable after `init`: only `deinit` sets its node,
// and a caller who passes objects or blocks as constants shares them on his own terms, as in Core
// Data.
extension NSPredicate: @unchecked Sendable {}
