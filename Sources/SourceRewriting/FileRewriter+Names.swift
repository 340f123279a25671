import SwiftSyntax

/// `#keyPath` and `#selector`, which become the text that they stand for.
extension FileRewriter {
    // MARK: Key paths

    func rewriteKeyPath(_ node: MacroExpansionExprSyntax) {
        guard let argument = node.arguments.first?.expression, node.arguments.count == 1,
            let names = Self.components(of: argument)
        else { return warn(node, "this #keyPath is no path of names") }
        replace(node.textRange, with: "\"\(keyPath(names))\"", .keyPath)
    }

    /// The names of a path of member accesses.
    static func components(of expression: ExprSyntax) -> [String]? {
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            return [reference.baseName.text.trimmingBackticks]
        }
        if let generic = expression.as(GenericSpecializationExprSyntax.self) {
            return components(of: generic.expression)
        }
        if let chain = expression.as(OptionalChainingExprSyntax.self) {
            return components(of: chain.expression)
        }
        guard let access = expression.as(MemberAccessExprSyntax.self), let base = access.base,
            let before = components(of: base)
        else { return nil }
        return before + [access.declName.baseName.text.trimmingBackticks]
    }

    /// The text of a key path: without the type that it begins with, and with the names that
    /// Objective-C has for the properties.
    func keyPath(_ names: [String]) -> String {
        var rest = names
        var type = currentType
        if rest.first == "self" || rest.first == "Self" {
            rest.removeFirst()
        } else if let found = leadingType(of: rest) {
            type = found.name
            rest.removeFirst(found.length)
        }
        var words: [String] = []
        for name in rest {
            let property = type.isEmpty ? nil : index.property(name, of: type)
            words.append(property?.objectiveCName ?? name)
            type = property.flatMap { index.type($0.type, in: type)?.name } ?? ""
        }
        return words.joined(separator: ".")
    }

    /// The type that the first names are; of types of other modules the capital tells.
    private func leadingType(of names: [String]) -> (name: String, length: Int)? {
        var found: (name: String, length: Int)?
        for length in 1..<max(names.count, 1) {
            let name = names.prefix(length).joined(separator: ".")
            if let type = index.type(name, in: currentType) {
                found = (type.name, length)
            } else if names[length - 1].first?.isUppercase == true,
                found?.length == length - 1
                    || (found == nil && length == 1)
            {
                found = (name, length)
            } else {
                break
            }
        }
        return found
    }

    // MARK: Selectors

    func rewriteSelector(_ node: MacroExpansionExprSyntax) {
        guard let argument = node.arguments.first, node.arguments.count == 1 else {
            return warn(node, "this #selector names nothing")
        }
        let label = argument.label?.text
        guard let name = selectorName(argument.expression, accessor: label, at: node) else {
            return warn(node, "this #selector is no name of a method or property")
        }
        replace(node.textRange, with: "Selector(\"\(name)\")", .selector)
    }

    private func selectorName(
        _ expression: ExprSyntax, accessor: String?, at node: MacroExpansionExprSyntax
    ) -> String? {
        if let accessor {
            guard let names = Self.components(of: expression), let last = names.last else {
                return nil
            }
            let type = leadingType(of: names)?.name ?? currentType
            let property = index.property(last, of: type)?.objectiveCName ?? last
            return accessor == "setter" ? ObjectiveCName.setter(property) : property
        }
        guard let reference = Self.method(in: expression) else { return nil }
        let type = Self.components(of: expression).flatMap { leadingType(of: $0)?.name }
        let known = index.methods(reference.name, of: type ?? currentType)
        if let labels = reference.labels {
            return known.first { $0.labels == labels }?.selector
                ?? ObjectiveCName.selector(reference.name, labels: labels)
        }
        if known.isEmpty {
            let everywhere = index.types.values.flatMap(\.methods).filter {
                $0.name == reference.name
            }
            if let first = everywhere.first { return first.selector }
            warn(
                node,
                "'\(reference.name)' is not declared in this target, so its parameters are not"
                    + " known; write them, as in #selector(\(reference.name)(_:))")
        }
        return known.first?.selector ?? reference.name
    }

    /// The method that an expression ends with, with its labels where they are written.
    static func method(in expression: ExprSyntax) -> (name: String, labels: [String]?)? {
        // `method as (Type) -> () -> Void` chooses among methods of one name.
        let expression =
            expression.as(SequenceExprSyntax.self)?.elements.first
            ?? expression.as(AsExprSyntax.self)?.expression ?? expression
        if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
            let inner = tuple.elements.first
        {
            return method(in: inner.expression)
        }
        let reference =
            expression.as(DeclReferenceExprSyntax.self)
            ?? expression.as(MemberAccessExprSyntax.self)?.declName
        guard let reference else { return nil }
        let labels = reference.argumentNames?.arguments.map(\.name.text)
        return (reference.baseName.text.trimmingBackticks, labels)
    }
}
