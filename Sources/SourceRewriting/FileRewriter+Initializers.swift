import SwiftSyntax

/// Initialisers of managed classes. Objects are made through `init(entity:insertInto:)`, which
/// Swift alone can call on a class only where it is `required`.
extension FileRewriter {
    func rewriteInitializer(_ node: InitializerDeclSyntax) {
        let labels = node.signature.parameterClause.parameters.map(\.firstName.text)
        guard let overriding = node.modifiers.first(where: { $0.name.text == "override" }) else {
            return
        }
        if labels == ["context"], index.isManaged(currentType) {
            // It comes from a protocol here, so there is nothing to override.
            replace(overriding.rangeWithSpaces, with: "", .initializer)
            return
        }
        guard labels == ["entity", "insertInto"] else { return }
        let access = index.type(currentType)?.access ?? ""
        let needed = ["public", "open"].contains(access) ? "public " : ""
        for modifier in node.modifiers where modifier.detail == nil {
            switch modifier.name.text {
            case "private", "fileprivate", "internal", "public", "open", "package", "required":
                replace(modifier.rangeWithSpaces, with: "", .initializer)
            default: continue
            }
        }
        replace(overriding.textRange, with: needed + "required", .initializer)
    }

    /// The initialiser for the entity, where the class has others of its own and not this one.
    func missingInitializer(of node: ClassDeclSyntax, named type: String) -> String? {
        guard node.genericParameterClause == nil else { return nil }
        let initializers = node.memberBlock.members.compactMap {
            $0.decl.as(InitializerDeclSyntax.self)
        }
        let designated = initializers.filter { !$0.modifiers.has("convenience") }
        let hasOwn = designated.contains {
            $0.signature.parameterClause.parameters.map(\.firstName.text)
                == ["entity", "insertInto"]
        }
        if designated.isEmpty || hasOwn { return nil }
        // A class whose base is of another module tells by what it calls.
        let isManaged =
            index.isManaged(type)
            || designated.contains {
                $0.body?.trimmedDescription.contains("super.init(entity:") == true
            }
        guard isManaged else { return nil }
        let access = ["public", "open"].contains(node.modifiers.access) ? "public " : ""
        return "\(access)required init(entity: NSEntityDescription, insertInto context:"
            + " NSManagedObjectContext?) { super.init(entity: entity, insertInto:"
            + " context as NSManagedObjectContext?) }"
    }
}
