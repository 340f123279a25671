import Foundation

/// Replaces leaves of a tree. Unchanged parts are not copied.
protocol ExpressionRewriting {
    /// Returns the replacement of a constant or variable, or `nil` to keep it.
    func replacement(for leaf: NSExpression) -> NSExpression?

    /// Returns the replacement of a path from another expression, or `nil` to continue with that
    /// expression.
    func replacement(ofPath keys: [String], from base: NSExpression) -> NSExpression?

    /// Returns the replacement of a function call, or `nil` to continue with its arguments.
    func replacement(ofCall call: NSExpression) -> NSExpression?

    /// Returns the rewriting for the predicate of a subquery, whose iterator variable must not be
    /// replaced.
    func entering(iterator: String) -> Self
}

extension ExpressionRewriting {
    func replacement(ofPath keys: [String], from base: NSExpression) -> NSExpression? { nil }

    func replacement(ofCall call: NSExpression) -> NSExpression? { nil }

    func entering(iterator: String) -> Self { self }
}

struct VariableBinding: ExpressionRewriting {
    var variables: [String: Any]
    /// Whether a key path of a variable is replaced by the value at its end, which stores can
    /// compare.
    var readsPaths = false

    func replacement(ofPath keys: [String], from base: NSExpression) -> NSExpression? {
        guard readsPaths, case .variable(let name) = base.node, let value = variables[name] else {
            return nil
        }
        do throws(PredicateEvaluationError) {
            let found = try KeyReading.value(at: keys[...], of: value)
            return NSExpression(forConstantValue: found)
        } catch {
            return nil
        }
    }

    func replacement(for leaf: NSExpression) -> NSExpression? {
        guard case .variable(let name) = leaf.node, let value = variables[name] else { return nil }
        return value as? NSExpression ?? NSExpression(forConstantValue: value)
    }

    func entering(iterator: String) -> VariableBinding {
        var inner = self
        inner.variables[iterator] = nil
        return inner
    }
}

/// Replaces constants by other values, including those in constant collections.
struct ConstantMapping: ExpressionRewriting {
    let transform: (Any) -> Any

    func replacement(for leaf: NSExpression) -> NSExpression? {
        guard case .constant(let value?) = leaf.node else { return nil }
        if case .collection(let collection)? = leaf.constantOperand {
            let mapped = OperandCollection(
                elements: collection.elements.map(transform), isSet: collection.isSet)
            return NSExpression(forConstantValue: mapped.any)
        }
        return NSExpression(forConstantValue: transform(value))
    }
}

struct CallReplacement: ExpressionRewriting {
    let transform: (NSExpression) -> NSExpression?

    func replacement(for leaf: NSExpression) -> NSExpression? { nil }

    func replacement(ofCall call: NSExpression) -> NSExpression? { transform(call) }
}

extension NSPredicate {
    /// Returns the predicate with replaced function calls; a call for which `transform` returns nil
    /// is kept. Grouped fetches replace their aggregates by values.
    package func replacingCalls(
        _ transform: (NSExpression) -> NSExpression?
    ) -> NSPredicate {
        withoutActuallyEscaping(transform) { rewritten(by: CallReplacement(transform: $0)) }
    }

    /// Returns the predicate with every constant replaced. The elements of constant collections are
    /// replaced one by one. This is used to translate objects into ids.
    package func mappingConstants(_ transform: (Any) -> Any) -> NSPredicate {
        withoutActuallyEscaping(transform) { rewritten(by: ConstantMapping(transform: $0)) }
    }

    /// Returns the predicate with values for its variables, and for the paths that start at them.
    /// An unreadable path is kept, so the evaluation reports the reason.
    package func binding(_ variables: [String: Any]) -> NSPredicate {
        rewritten(by: VariableBinding(variables: variables, readsPaths: true))
    }

    func rewritten(by rewriting: some ExpressionRewriting) -> NSPredicate {
        if depth > TreeDepth.plain { return DeepRewriting.rewritten(self, by: rewriting) }
        switch node {
        case .constant, .block: return self
        case .compound(let type, let parts):
            let rewritten = parts.map { $0.rewritten(by: rewriting) }
            let isSame = zip(parts, rewritten).allSatisfy { $0 === $1 }
            return isSame ? self : NSCompoundPredicate(type, rewritten)
        case .comparison(let comparison):
            let left = comparison.left.rewritten(by: rewriting)
            let right = comparison.right.rewritten(by: rewriting)
            guard left !== comparison.left || right !== comparison.right else { return self }
            return NSComparisonPredicate(comparison: comparison.with(left, right))
        }
    }
}

extension NSExpression {
    func rewritten(by rewriting: some ExpressionRewriting) -> NSExpression {
        if depth > TreeDepth.plain { return DeepRewriting.rewritten(self, by: rewriting) }
        let isSame: Bool
        let changed: ExpressionNode
        switch node {
        case .evaluatedObject, .anyKey, .keyPath: return self
        case .constant, .variable: return rewriting.replacement(for: self) ?? self
        case .path(let base, let keys):
            if let found = rewriting.replacement(ofPath: keys, from: base) { return found }
            let rewritten = base.rewritten(by: rewriting)
            isSame = rewritten === base
            changed = isSame ? node : .path(rewritten, keys)
        case .subquery(let collection, let variable, let predicate):
            let newCollection = collection.rewritten(by: rewriting)
            let newPredicate = predicate.rewritten(by: rewriting.entering(iterator: variable))
            isSame = newCollection === collection && newPredicate === predicate
            changed = .subquery(
                collection: newCollection, variable: variable, predicate: newPredicate)
        case .conditional(let predicate, let yes, let no):
            let newPredicate = predicate.rewritten(by: rewriting)
            let newYes = yes.rewritten(by: rewriting)
            let newNo = no.rewritten(by: rewriting)
            isSame = newPredicate === predicate && newYes === yes && newNo === no
            changed = .conditional(newPredicate, newYes, newNo)
        default:
            if case .function = node, let found = rewriting.replacement(ofCall: self) {
                return found
            }
            let children = node.children
            let rewritten = children.map { $0.rewritten(by: rewriting) }
            isSame = zip(children, rewritten).allSatisfy { $0 === $1 }
            changed = isSame ? node : node.replacingChildren(rewritten)
        }
        return isSame ? self : NSExpression(node: changed)
    }
}

extension Comparison {
    func with(_ left: NSExpression, _ right: NSExpression) -> Comparison {
        Comparison(
            left: left, right: right, operator: self.operator, modifier: modifier,
            options: options, selector: selector)
    }
}

extension ExpressionNode {
    /// The direct subexpressions, in the order of ``replacingChildren(_:)``.
    package var children: [NSExpression] {
        switch self {
        case .constant, .evaluatedObject, .anyKey, .variable, .keyPath: []
        case .path(let base, _): [base]
        case .element(let base, .at(let index)): [base, index]
        case .element(let base, _): [base]
        case .function(_, let arguments): arguments
        case .selector(let target, _, let arguments): [target] + arguments
        case .aggregate(let elements): elements
        case .set(_, let left, let right): [left, right]
        case .subquery(let collection, _, _): [collection]
        case .conditional(_, let yes, let no): [yes, no]
        case .assignment(_, let value): [value]
        case .block(_, let arguments): arguments
        }
    }

    func replacingChildren(_ new: [NSExpression]) -> ExpressionNode {
        switch self {
        case .constant, .evaluatedObject, .anyKey, .variable, .keyPath, .subquery, .conditional:
            self
        case .path(_, let keys): .path(new[0], keys)
        case .element(_, .at): .element(new[0], .at(new[1]))
        case .element(_, let index): .element(new[0], index)
        case .function(let name, _): .function(name, new)
        case .selector(_, let name, _):
            .selector(target: new[0], name: name, arguments: Array(new.dropFirst()))
        case .aggregate: .aggregate(new)
        case .set(let operation, _, _): .set(operation, new[0], new[1])
        case .assignment(let name, _): .assignment(name, new[0])
        case .block(let block, _): .block(block, new)
        }
    }
}
