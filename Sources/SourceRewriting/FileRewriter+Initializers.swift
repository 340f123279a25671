import SwiftSyntax

/// Rewrites initialisers such as `init(entity:insertInto:)`, which the engine calls for classes
/// that it finds at run time. Swift can call them only if they are `required`.
extension FileRewriter {
    func rewriteInitializer(_ node: InitializerDeclSyntax) {
        let labels = node.signature.parameterClause.parameters.map(\.firstName.text)
        guard let overriding = node.modifiers.first(where: { $0.name.text == "override" }) else {
            return
        }
        if labels == ["context"], index.isManaged(currentType) {
            // On Linux, a protocol requires the initialiser, so it overrides nothing.
            replace(overriding.rangeWithSpaces, with: "", .initializer)
            return
        }
        guard labels == Self.managed || labels == index.requiredLabels(of: currentType) else {
            return
        }
        let access = index.type(currentType)?.access ?? ""
        let needed = Self.initializerAccess(in: access)
        for modifier in node.modifiers where modifier.detail == nil {
            switch modifier.name.text {
            case "private", "fileprivate", "internal", "public", "open", "package", "required":
                replace(modifier.rangeWithSpaces, with: "", .initializer)
            default: continue
            }
        }
        replace(overriding.textRange, with: needed + "required", .initializer)
    }

    private static let managed = ["entity", "insertInto"]

    /// The access level of a required initialiser of a class with an access level.
    private static func initializerAccess(in access: String) -> String {
        switch access {
        case "public", "open": "public "
        case "package": "package "
        default: ""
        }
    }

    /// The required initialiser to add to a class that declares other initialisers; nil if it needs
    /// none.
    func missingInitializer(of node: ClassDeclSyntax, named type: String) -> String? {
        let required = index.requiredLabels(of: type)
        guard node.genericParameterClause == nil || required != nil else { return nil }
        let initializers = node.memberBlock.members.compactMap {
            $0.decl.as(InitializerDeclSyntax.self)
        }
        let designated = initializers.filter { !$0.modifiers.has("convenience") }
        let hasOwn = designated.contains {
            $0.signature.parameterClause.parameters.map(\.firstName.text)
                == required ?? Self.managed
        }
        if designated.isEmpty || hasOwn { return nil }
        let access = Self.initializerAccess(in: node.modifiers.access)
        if required == [] {
            // This ends the program, as in Objective-C.
            return "\(access)required init() { fatalError(\"init() is not implemented\") }"
        }
        if required != nil { return nil }
        // The base class may be in another module. A call of `super.init(entity:…)` shows that the
        // class is a managed object class.
        let isManaged =
            index.isManaged(type)
            || designated.contains {
                $0.body?.trimmedDescription.contains("super.init(entity:") == true
            }
        guard isManaged else { return nil }
        return "\(access)required init(entity: NSEntityDescription, insertInto context:"
            + " NSManagedObjectContext?) { super.init(entity: entity, insertInto:"
            + " context as NSManagedObjectContext?) }"
    }
}

extension TargetIndex {
    /// The labels of the initialiser that the engine calls for this class. Nil for managed object
    /// classes, and for classes that the engine does not create.
    func requiredLabels(of type: String) -> [String]? {
        for base in ancestry(type).flatMap(\.inherited) {
            switch base.split(separator: ".").last {
            case "ValueTransformer", "NSSecureUnarchiveFromDataTransformer",
                "NSEntityMigrationPolicy":
                return []
            case "NSPersistentStore", "NSIncrementalStore", "NSAtomicStore":
                return ["persistentStoreCoordinator", "configurationName", "at", "options"]
            default: continue
            }
        }
        return nil
    }
}
