import SwiftSyntax

/// Replaces `#keyPath` and `#selector` by string literals.
extension FileRewriter {
    // MARK: Key paths

    func rewriteKeyPath(_ node: MacroExpansionExprSyntax) {
        guard let argument = node.arguments.first?.expression, node.arguments.count == 1,
            let names = Self.components(of: argument)
        else { return warn(node, "this #keyPath is not a path of names") }
        replace(node.textRange, with: "\"\(keyPath(names))\"", .keyPath)
    }

    /// The names in a chain of members such as `a.b.c`; nil for other expressions.
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

    /// The key path as a string. It consists of the Objective-C names of the properties, without a
    /// leading type.
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

    /// The type to which the first names refer. A capitalised name counts as a type of another
    /// module.
    private func leadingType(of names: [String]) -> (name: String, length: Int)? {
        var found: (name: String, length: Int)?
        if let first = names.first, ["self", "Self"].contains(first), !currentType.isEmpty {
            return (currentType, 1)
        }
        for length in 1..<max(names.count, 1) {
            let name = names.prefix(length).joined(separator: ".")
            // The first name can be that of a module.
            let inner = names[..<length].dropFirst().joined(separator: ".")
            if let type = index.type(name, in: currentType)
                ?? (inner.isEmpty || isKnown(found?.name) ? nil : index.type(inner))
            {
                found = (type.name, length)
            } else if index.property(names[length - 1], of: found?.name ?? currentType) != nil {
                break
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

    private func isKnown(_ type: String?) -> Bool {
        type.map { index.type($0, in: currentType) != nil } ?? false
    }

    // MARK: Selectors

    func rewriteSelector(_ node: MacroExpansionExprSyntax) {
        guard let argument = node.arguments.first, node.arguments.count == 1 else {
            return warn(node, "this #selector is empty")
        }
        let label = argument.label?.text
        guard let name = selectorName(argument.expression, accessor: label, at: node) else {
            return warn(node, "this #selector does not name a method or property")
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
            let property = index.property(last, of: type)
            let name = property?.objectiveCName ?? last
            return accessor == "setter"
                ? property?.setter ?? ObjectiveCName.setter(name) : property?.getter ?? name
        }
        guard let reference = Self.method(in: expression) else { return nil }
        if let known = chosenMethod(expression) { return known.method.selector }
        if let labels = reference.labels {
            return ObjectiveCName.selector(reference.name, labels: labels)
        }
        // Foundation's comparison methods for sort descriptors, such as `compare:`.
        if reference.name.hasSuffix("ompare"), type(of: expression)?.hasPrefix("NS") == true {
            return reference.name + ":"
        }
        if reference.name == "init" || Self.cast(expression).parameters?.isEmpty == true {
            return reference.name
        }
        warn(
            node,
            "'\(reference.name)' is not declared in this target, so its parameters are not"
                + " known; write them, as in #selector(\(reference.name)(_:))")
        return reference.name
    }

    private func type(of expression: ExprSyntax) -> String? {
        Self.components(of: Self.cast(expression).target)?.first
    }

    func chosenMethod(_ expression: ExprSyntax) -> (type: String, method: TargetIndex.Method)? {
        guard let reference = Self.method(in: expression) else { return nil }
        let (target, parameters) = Self.cast(expression)
        let type = Self.components(of: target).flatMap { leadingType(of: $0)?.name }
        var places = index.ancestry(type ?? currentType)
        // If the type is unknown, only the name identifies the method.
        if reference.name != "init",
            !places.contains(where: { !$0.methods(reference.name).isEmpty })
        {
            places = index.declarers(of: reference.name)
        }
        let known = places.flatMap { place in
            place.methods(reference.name).filter { method in
                reference.labels == nil || reference.labels == method.labels
            }.map { (type: place.name, method: $0) }
        }
        guard let method = Self.chosen(known.map(\.method), parameters) else { return nil }
        return known.first { $0.method.labels == method.labels && $0.method.types == method.types }
    }

    /// Chooses among methods of the same name by the parameter types of a cast.
    private static func chosen(
        _ methods: [TargetIndex.Method], _ parameters: [String]?
    ) -> TargetIndex.Method? {
        guard let parameters else { return methods.first }
        return methods.first { $0.types == parameters }
            ?? methods.first { $0.types.count == parameters.count }
    }

    private static func cast(
        _ expression: ExprSyntax
    ) -> (target: ExprSyntax, parameters: [String]?) {
        if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
            let inner = tuple.elements.first
        {
            return cast(inner.expression)
        }
        var target = expression
        var type: TypeSyntax?
        if let sequence = expression.as(SequenceExprSyntax.self) {
            let elements = Array(sequence.elements)
            target = elements[0]
            type = elements.last?.as(TypeExprSyntax.self)?.type
        } else if let cast = expression.as(AsExprSyntax.self) {
            target = cast.expression
            type = cast.type
        }
        return (target, type.flatMap(parameters))
    }

    /// The parameter types of a function type. The type of an unbound method is `(Object) -> (Int)
    /// -> Void`; its parameter types are those of the inner function.
    private static func parameters(of type: TypeSyntax) -> [String]? {
        if let optional = type.as(OptionalTypeSyntax.self) {
            return parameters(of: optional.wrappedType)
        }
        if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1,
            let inner = tuple.elements.first
        {
            return parameters(of: inner.type)
        }
        if let attributed = type.as(AttributedTypeSyntax.self) {
            return parameters(of: attributed.baseType)
        }
        guard let function = type.as(FunctionTypeSyntax.self) else { return nil }
        return parameters(of: function.returnClause.type)
            ?? function.parameters.map(\.type.trimmedDescription)
    }

    static func method(in expression: ExprSyntax) -> (name: String, labels: [String]?)? {
        // `method as (Type) -> () -> Void` selects one of several methods with the same name.
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
