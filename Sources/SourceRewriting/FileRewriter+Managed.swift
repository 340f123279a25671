import SwiftSyntax

/// Adds the accessors that the Objective-C runtime provides for `@NSManaged`.
extension FileRewriter {
    func rewriteManaged(_ node: VariableDeclSyntax) {
        let bindings = Array(node.bindings)
        for (position, binding) in bindings.enumerated() {
            // In `var x, y: Double`, both variables have the type.
            let typed = bindings[position...].first { $0.typeAnnotation != nil }
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
                let type = typed?.typeAnnotation
            else {
                warn(node, "an @NSManaged property needs a name and a type")
                continue
            }
            if binding.accessorBlock != nil || binding.initializer != nil {
                warn(node, "an @NSManaged property has neither accessors nor a value")
                continue
            }
            let own = binding.typeAnnotation == nil ? type.trimmedDescription : ""
            insert(
                own + accessors(of: name.text.trimmingBackticks, type.type, node),
                at: (binding.typeAnnotation?.textRange ?? name.textRange).upperBound,
                .managedProperty)
            guard let comma = binding.trailingComma else { continue }
            // Swift permits no accessors in a declaration of several variables.
            replace(
                comma.textRange, with: "; " + (words(of: node) + ["var"]).joined(separator: " "),
                .managedProperty)
        }
    }

    private func accessors(
        of name: String, _ type: TypeSyntax, _ node: VariableDeclSyntax
    ) -> String {
        let known = index.property(name, of: currentType)
        let written = node.attributes.objectiveCName ?? known?.objectiveCName ?? name
        let primitive = written.hasPrefix("primitive") ? written.dropFirst(9) : ""
        if let first = primitive.first, !first.isLowercase {
            let key = key(property(capitalized: String(primitive)))
            return " { get { managedPrimitiveValue(\(key)) }"
                + " set { setManagedPrimitiveValue(\(key), newValue) } }"
        }
        let key = key(written)
        let method = isExistential(type) ? "managedObjectValue" : "managedValue"
        return " { @inline(__always) get { \(method)(\(key)) }"
            + " set { setManagedValue(\(key), newValue) } }"
    }

    /// Whether the type is a protocol or a general class such as `NSObject`. Other types convert to
    /// it, so it does not select an overload.
    private func isExistential(_ type: TypeSyntax) -> Bool {
        let text = type.trimmedDescription
        let name = type.plainName
        return text.contains("any ") || text.contains("&")
            || ["Any", "AnyObject", "NSObject"].contains(name)
            || name.hasSuffix("Coding") || name == "NSCopying" || name == "NSObjectProtocol"
            || index.type(name, in: currentType)?.isProtocol == true
    }

    private func words(of node: VariableDeclSyntax) -> [String] {
        node.attributes.kept + node.modifiers.map(\.trimmedDescription).filter { $0 != "dynamic" }
    }

    func rewriteManaged(_ node: FunctionDeclSyntax) {
        guard let body = accessorBody(of: node) else {
            warn(
                node,
                "'\(node.name.text)' is not a known accessor function: addTo…, removeFrom…,"
                    + " insertInto…, replace… or add…Object, remove…Object; write its body")
            return
        }
        let end =
            node.genericWhereClause?.textRange.upperBound
            ?? node.signature.textRange.upperBound
        insert(" { \(body) }", at: end, .managedFunction)
    }

    private func accessorBody(of node: FunctionDeclSyntax) -> String? {
        guard node.body == nil else { return nil }
        let name = node.name.text.trimmingBackticks
        let parameters = Array(node.signature.parameterClause.parameters)
        let written = node.attributes.objectiveCName.flatMap { AccessorFunction(selector: $0) }
        var function = written ?? AccessorFunction(name, parameters)
        if function == nil, ["_", nil].contains(node.labels.first) {
            // Old versions of Xcode named a function by its whole selector.
            function = AccessorFunction(
                selector: ObjectiveCName.selector(name, labels: node.labels))
        }
        guard let function else { return nil }
        return function.body(parameters, key: key(property(capitalized: function.property)))
    }

    /// The property for a capitalised name, as an accessor contains it.
    private func property(capitalized name: String) -> String {
        let known = index.ancestry(currentType).lazy
            .compactMap { $0.property(capitalized: name) }.first
        return known?.objectiveCName ?? ObjectiveCName.decapitalized(name)
    }
}
