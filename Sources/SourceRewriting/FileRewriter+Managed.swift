import SwiftSyntax

/// Accessors that the runtime of Objective-C makes for `@NSManaged`.
extension FileRewriter {
    /// Gives each variable a getter and a setter.
    func rewriteManaged(_ node: VariableDeclSyntax) {
        for binding in node.bindings {
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
                let type = binding.typeAnnotation
            else {
                warn(node, "an @NSManaged property needs a name and a type")
                continue
            }
            if binding.accessorBlock != nil || binding.initializer != nil {
                warn(node, "an @NSManaged property has neither accessors nor a value")
                continue
            }
            let key = key(name.trimmingBackticks)
            insert(
                " { get { managedValue(\(key)) } set { setManagedValue(\(key), newValue) } }",
                at: type.textRange.upperBound, .managedProperty)
            guard let comma = binding.trailingComma else { continue }
            // Variables that are declared together can have no accessors.
            let words = node.modifiers.map(\.trimmedDescription).filter { $0 != "dynamic" }
            replace(
                comma.textRange, with: "; " + (words + ["var"]).joined(separator: " "),
                .managedProperty)
        }
    }

    /// Gives an accessor function its body.
    func rewriteManaged(_ node: FunctionDeclSyntax) {
        guard let body = accessorBody(of: node) else {
            warn(
                node,
                "'\(node.name.text)' is no accessor function that is known: addTo…, removeFrom…,"
                    + " insertInto…, replace… or add…Object, remove…Object; write its body")
            return
        }
        let end =
            node.genericWhereClause?.textRange.upperBound
            ?? node.signature.textRange.upperBound
        insert(" { \(body) }", at: end, .managedFunction)
    }

    private func accessorBody(of node: FunctionDeclSyntax) -> String? {
        let name = node.name.text.trimmingBackticks
        let parameters = Array(node.signature.parameterClause.parameters)
        let names = parameters.map { ($0.secondName ?? $0.firstName).text }
        guard let first = parameters.first, node.body == nil else { return nil }
        if let property = AccessorName.property(in: name, after: "insertInto"), names.count == 2 {
            let method = Self.isCollection(first.type) ? "insertMembers" : "insertMember"
            let position = argument(names[1], of: parameters[1].type)
            return "\(method)(\(names[0]), at: \(position), \(key(property, of: node)))"
        }
        if let property = AccessorName.property(in: name, after: "replace"), names.count == 2 {
            let method = Self.isIndexes(first.type) ? "replaceMembers" : "replaceMember"
            let position = argument(names[0], of: first.type)
            return "\(method)(at: \(position), with: \(names[1]), \(key(property, of: node)))"
        }
        guard names.count == 1 else { return nil }
        return singleBody(of: node, name, first, names[0])
    }

    private func singleBody(
        of node: FunctionDeclSyntax, _ name: String, _ parameter: FunctionParameterSyntax,
        _ argument: String
    ) -> String? {
        let many = Self.isCollection(parameter.type) ? "Members" : "Member"
        if let property = AccessorName.property(in: name, after: "removeFrom") {
            let key = key(property, of: node)
            if parameter.firstName.text == "at" {
                let method = Self.isIndexes(parameter.type) ? "removeMembers" : "removeMember"
                return "\(method)(at: \(self.argument(argument, of: parameter.type)), \(key))"
            }
            return "remove\(many)(\(argument), \(key))"
        }
        if let property = AccessorName.property(in: name, after: "addTo") {
            return "add\(many)(\(argument), \(key(property, of: node)))"
        }
        for verb in ["add", "remove"] {
            guard let rest = AccessorName.property(in: name, after: verb) else { continue }
            let isOne = many == "Member" && rest.hasSuffix("Object")
            if many == "Member" && !isOne { continue }
            let property = isOne ? String(rest.dropLast("Object".count)) : rest
            return "\(verb)\(many)(\(argument), \(key(property, of: node)))"
        }
        return nil
    }

    /// The key of the property that an accessor function's name means by a capital.
    private func key(_ capitalized: String, of node: FunctionDeclSyntax) -> String {
        let properties = index.ancestry(currentType).flatMap(\.properties)
        let known = properties.first { ObjectiveCName.capitalized($0.name) == capitalized }
        return key(known?.name ?? ObjectiveCName.decapitalized(capitalized))
    }

    private func argument(_ name: String, of type: TypeSyntax) -> String {
        type.plainName.hasSuffix("IndexSet") && !type.plainName.hasSuffix("NSIndexSet")
            ? "NSIndexSet(indexSet: \(name))" : name
    }

    private static func isIndexes(_ type: TypeSyntax) -> Bool {
        type.plainName.hasSuffix("IndexSet")
    }

    private static func isCollection(_ type: TypeSyntax) -> Bool {
        if type.is(ArrayTypeSyntax.self) { return true }
        return [
            "NSSet", "NSOrderedSet", "NSArray", "NSMutableSet", "NSMutableOrderedSet", "Set",
            "Array",
        ].contains(type.plainName)
    }
}

/// The names of accessor functions.
enum AccessorName {
    /// What follows the words, if that begins with a capital or a character without case.
    static func property(in name: String, after words: String) -> String? {
        guard name.hasPrefix(words) else { return nil }
        let rest = name.dropFirst(words.count)
        guard let first = rest.first, !first.isLowercase else { return nil }
        return String(rest)
    }
}
