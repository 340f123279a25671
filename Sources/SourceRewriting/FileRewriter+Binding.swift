import SwiftParser
import SwiftSyntax

/// Replaces a selector argument by a closure that returns a method of an object.
extension FileRewriter {
    /// A method to which a selector refers.
    private struct Bound {
        let name: String
        let labels: [String]?
        /// The method's declaration in this target, and the declaring type; nil if it is unknown.
        let known: (type: String, method: TargetIndex.Method)?
    }

    /// Replaces a selector by a closure that returns the method of an object.
    ///
    /// - Parameter argument: the argument of a call. Its label becomes `calling`.
    /// - Returns: false if the method is unknown.
    func bind(_ argument: LabeledExprSyntax) -> Bool {
        guard let label = argument.label,
            let bound = bound(argument.expression) ?? constant(argument.expression)
        else { return false }
        handled.insert(argument.expression.id)
        if let known = bound.known, index.isOnMainActor(known.method, of: known.type) {
            bindOnMainActor(argument, label, known.method)
            return true
        }
        let labels = bound.labels ?? bound.known?.method.labels ?? []
        let suffix = labels.isEmpty ? "" : "(" + labels.map { "\($0):" }.joined() + ")"
        replace(label.textRange, with: "calling", .observer)
        replace(
            argument.expression.textRange, with: "{ $0.\(bound.name)\(suffix) }", .observer)
        return true
    }

    private func bound(_ expression: ExprSyntax) -> Bound? {
        guard let method = selectedMethod(expression) else { return named(expression) }
        let target = expression.as(MacroExpansionExprSyntax.self)?.arguments.first
        return Bound(
            name: method.name, labels: method.labels,
            known: target.flatMap { chosenMethod($0.expression) })
    }

    /// The method to which `Selector("name:")` or `"name:"` refers, if this type has such a method.
    private func named(_ expression: ExprSyntax) -> Bound? {
        var value = expression
        if let call = value.as(FunctionCallExprSyntax.self), call.arguments.count == 1,
            ["Selector", "NSSelectorFromString"].contains(
                call.calledExpression.trimmedDescription),
            let inner = call.arguments.first
        {
            value = inner.expression
        }
        while let tuple = value.as(TupleExprSyntax.self), tuple.elements.count == 1,
            let inner = tuple.elements.first
        {
            value = inner.expression
        }
        guard let name = value.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
            return nil
        }
        for place in index.ancestry(currentType) {
            if let method = place.methods.first(where: { $0.selector == name }) {
                return Bound(
                    name: method.name, labels: method.labels, known: (place.name, method))
            }
        }
        return nil
    }

    /// The method to which a constant selector refers, such as `.didSave`. The constant can be in
    /// the function body, in a type, or in an extension of `Selector`.
    private func constant(_ expression: ExprSyntax) -> Bound? {
        if let access = expression.as(MemberAccessExprSyntax.self) {
            let name = access.declName.baseName.text.trimmingBackticks
            return index.selectors[name].flatMap(bound)
        }
        guard let reference = expression.as(DeclReferenceExprSyntax.self) else { return nil }
        let name = reference.baseName.text.trimmingBackticks
        return (local(name, before: Syntax(expression)) ?? index.selectors[name]).flatMap(bound)
    }

    private func local(_ name: String, before node: Syntax) -> ExprSyntax? {
        var node = node
        while let parent = node.parent {
            for item in parent.as(CodeBlockItemListSyntax.self) ?? [] {
                guard let declaration = item.item.as(VariableDeclSyntax.self) else { continue }
                for binding in declaration.bindings {
                    let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
                    if pattern?.identifier.text == name { return binding.initializer?.value }
                }
            }
            node = parent
        }
        return nil
    }

    /// Replaces a selector by a closure that is isolated to the main actor. The closure receives
    /// the object as an argument instead of capturing it, so the object need not be sendable.
    private func bindOnMainActor(
        _ argument: LabeledExprSyntax, _ label: TokenSyntax, _ method: TargetIndex.Method
    ) {
        let call: String
        if let type = method.types.first, let name = method.labels.first {
            let value = type.contains("NSNotification") ? "$1 as NSNotification" : "$1"
            call = "{ $0.\(method.name)(\(name == "_" ? "" : "\(name): ")\(value)) }"
        } else {
            call = "{ observer, _ in observer.\(method.name)() }"
        }
        replace(label.textRange, with: "callingOnMainActor", .observer)
        replace(argument.expression.textRange, with: call, .observer)
    }
}
