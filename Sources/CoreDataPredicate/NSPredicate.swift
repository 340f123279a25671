import Foundation

/// A condition that selects objects, in memory or in a store.
///
/// A predicate is immutable. `NSPredicate(format:)` returns an instance of the suitable subclass:
/// ``NSComparisonPredicate`` or ``NSCompoundPredicate``.
open class NSPredicate: NSObject, NSCopying, FormatInitializable {
    /// A condition as a Swift function.
    public typealias Block = (Any?, [String: Any]?) -> Bool

    /// The content of the predicate, for code that translates it.
    // Unchecked because it is set only by initialisers, and by `deinit` when no other reference to
    // the predicate is left.
    @exclusivity(unchecked) package internal(set) final var node: PredicateNode
    /// The number of levels of the tree, including this one.
    package private(set) final var depth: Int32 = 1

    // Every designated initialiser is public. Otherwise subclasses would inherit none of them.
    package convenience init(node: PredicateNode) {
        self.init(value: false)
        adopt(node)
    }

    /// Sets the content of a new predicate.
    final func adopt(_ content: PredicateNode) {
        node = content
        depth = content.depth
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
        super.init()
    }

    /// Creates a predicate that calls a function. It works only in memory; stores reject it.
    public init(block: @escaping Block) {
        node = .block(block)
        super.init()
    }

    /// Creates a predicate that is always false. A subclass overrides its methods.
    public override init() {
        node = .constant(false)
        super.init()
    }

    /// Creates a predicate of this class with the content of another one; nil for a coder that is
    /// not an archive of predicates. A subclass with its own initialisers must implement it, as on
    /// Apple's systems.
    public required init?(coder: NSCoder) {
        guard let content = coder as? PredicateContent else { return nil }
        node = content.node
        super.init()
        depth = content.node.depth
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
    open func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        Self.instance(of: rewritten(by: VariableBinding(variables: variables)))
    }

    /// Returns whether the predicate holds for an object.
    ///
    /// The object is ``KeyValueCodable``, a dictionary with string keys, a collection or a value.
    /// Requests, and predicates that contain this one, do not call an override.
    ///
    /// - Precondition: The object has the keys and the values fit their operators; Foundation
    ///   raises an exception otherwise.
    open func evaluate(with object: Any?) -> Bool {
        evaluate(with: object, substitutionVariables: nil)
    }

    /// Returns whether the predicate holds for an object, with values for its variables.
    ///
    /// - Precondition: As for ``evaluate(with:)``, and every variable has a value.
    open func evaluate(
        with object: Any?, substitutionVariables bindings: [String: Any]?
    ) -> Bool {
        holdsOrTraps(object, bindings)
    }

    /// Does nothing; exists for code that calls it on decoded predicates.
    open func allowEvaluation() {}

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
