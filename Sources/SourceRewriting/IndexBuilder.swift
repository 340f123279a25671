import SwiftSyntax

/// Collects the declarations of one file.
final class IndexBuilder: SyntaxVisitor {
    private(set) var types: [String: TargetIndex.Declared] = [:]
    private(set) var aliases: [String: String] = [:]
    private(set) var functions: Set<String> = []
    private(set) var selectors: [String: ExprSyntax] = [:]
    private(set) var optionals: [OptionalMember] = []
    /// Members that code can find at run time by name, with their types.
    private(set) var keyed: [(type: String, member: KeyedName)] = []
    private var extended: ExtensionDeclSyntax?
    private var isInMarkedExtension: Bool {
        guard let extended else { return false }
        return ["objc", "objcMembers"].contains { extended.attributes.attribute($0) != nil }
    }
    /// Members of types and extensions. The type of an extension may be in another file.
    private(set) var members: [Members] = []
    typealias Members = (
        type: String, properties: [TargetIndex.Property], methods: [TargetIndex.Method]
    )
    /// Conformances that extensions add to types.
    private(set) var conformances: [(type: String, inherited: [String])] = []
    let file: Int
    private var scope: [String] = []

    init(file: Int) {
        self.file = file
        super.init(viewMode: .sourceAccurate)
    }

    private func enter(
        _ node: some DeclGroupSyntax, _ name: String, isClass: Bool,
        _ inheritance: InheritanceClauseSyntax?
    ) -> SyntaxVisitorContinueKind {
        scope.append(name)
        let path = scope.joined(separator: ".")
        types[path] = TargetIndex.Declared(
            name: path, isClass: isClass, isProtocol: node.is(ProtocolDeclSyntax.self),
            isFinal: node.modifiers.has("final"),
            isGeneric: node.as(ClassDeclSyntax.self)?.genericParameterClause != nil,
            areMembersMarked: node.attributes.attribute("objcMembers") != nil,
            isOnMainActor: node.attributes.attribute("MainActor") != nil, file: file,
            access: node.modifiers.access,
            objectiveCName: node.attributes.objectiveCName,
            inherited: inheritance?.inheritedTypes.map(\.type.plainName) ?? [])
        members.append((path, [], []))
        return .visitChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, node.name.text, isClass: true, node.inheritanceClause)
    }
    override func visitPost(_ node: ClassDeclSyntax) { scope.removeLast() }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, node.name.text, isClass: false, node.inheritanceClause)
    }
    override func visitPost(_ node: StructDeclSyntax) { scope.removeLast() }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, node.name.text, isClass: false, node.inheritanceClause)
    }
    override func visitPost(_ node: EnumDeclSyntax) { scope.removeLast() }

    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, node.name.text, isClass: false, node.inheritanceClause)
    }
    override func visitPost(_ node: ActorDeclSyntax) { scope.removeLast() }

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, node.name.text, isClass: false, node.inheritanceClause)
    }
    override func visitPost(_ node: ProtocolDeclSyntax) { scope.removeLast() }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        scope = node.extendedType.plainName.split(separator: ".").map(String.init)
        extended = node
        let inherited = node.inheritanceClause?.inheritedTypes.map(\.type.plainName) ?? []
        conformances.append((node.extendedType.plainName, inherited))
        return .visitChildren
    }
    override func visitPost(_ node: ExtensionDeclSyntax) {
        scope = []
        extended = nil
    }

    /// Whether the method or its extension is isolated to the main actor; nil if neither states it.
    private func isOnMainActor(_ node: FunctionDeclSyntax) -> Bool? {
        if node.modifiers.has("nonisolated") { return false }
        if node.attributes.attribute("MainActor") != nil { return true }
        return extended?.attributes.attribute("MainActor") != nil ? true : nil
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        let path = (scope + [node.name.text]).joined(separator: ".")
        aliases[path] = node.initializer.value.plainName
        return .skipChildren
    }

    // Other files cannot refer to declarations in function bodies.
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for binding in node.bindings {
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
                let value = binding.initializer?.value.as(MacroExpansionExprSyntax.self),
                value.macroName.text == "selector"
            else { continue }
            selectors[name.trimmingBackticks] = ExprSyntax(value)
        }
        guard !scope.isEmpty else { return .skipChildren }
        let found = node.bindings.compactMap { binding -> TargetIndex.Property? in
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
            else { return nil }
            return TargetIndex.Property(
                name: name.trimmingBackticks,
                objectiveCName: node.attributes.objectiveCName ?? name.trimmingBackticks,
                getter: Self.accessor("get", of: binding)?.attributes.objectiveCName,
                setter: Self.accessor("set", of: binding)?.attributes.objectiveCName,
                type: binding.typeAnnotation?.type.destinationName ?? "",
                isManaged: node.attributes.attribute("NSManaged") != nil,
                isPrivate: ["private", "fileprivate"].contains(node.modifiers.access),
                isOverride: node.modifiers.has("override"), file: file)
        }
        members.append((scope.joined(separator: "."), found, []))
        let names = KeyedName.properties(node, in: file, isMarked: isInMarkedExtension)
        keyed += names.map { (scope.joined(separator: "."), $0) }
        return .skipChildren
    }

    private static func accessor(
        _ word: String, of binding: PatternBindingSyntax
    ) -> AccessorDeclSyntax? {
        guard case .accessors(let accessors) = binding.accessorBlock?.accessors else { return nil }
        return accessors.first { $0.accessorSpecifier.text == word }
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        let name = node.name.text.trimmingBackticks
        if scope.isEmpty { functions.insert(name) }
        let effects = node.signature.effectSpecifiers
        let ending: ObjectiveCName.Ending? =
            effects?.asyncSpecifier != nil
            ? .completion : effects?.throwsClause != nil ? .error : nil
        add(
            name, node.signature.parameterClause, node.modifiers,
            selector: node.attributes.objectiveCName
                ?? ObjectiveCName.selector(name, labels: node.labels, ending: ending),
            givesValue: !["", "Void", "()"].contains(
                node.signature.returnClause?.type.trimmedDescription ?? ""),
            isOnMainActor: isOnMainActor(node))
        if let validator = KeyedName.validator(node, in: file, isMarked: isInMarkedExtension) {
            keyed.append((scope.joined(separator: "."), validator))
        }
        let dependency = KeyedName.dependency(node, in: file, isMarked: isInMarkedExtension)
        if let dependency { keyed.append((scope.joined(separator: "."), dependency)) }
        if let owner = types[scope.joined(separator: ".")], owner.isProtocol,
            let member = OptionalMember(node, of: owner)
        {
            optionals.append(member)
        }
        return .skipChildren
    }

    override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
        add("subscript", node.parameterClause, node.modifiers, selector: "", node.labels)
        return .skipChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        let parameters = node.signature.parameterClause
        let labels = parameters.parameters.map(\.firstName.text)
        add(
            "init", parameters, node.modifiers,
            selector: node.attributes.objectiveCName
                ?? ObjectiveCName.selector("init", labels: labels))
        return .skipChildren
    }

    private func add(
        _ name: String, _ clause: FunctionParameterClauseSyntax,
        _ modifiers: DeclModifierListSyntax, selector: String, _ labels: [String]? = nil,
        givesValue: Bool = true, isOnMainActor: Bool? = nil
    ) {
        guard !scope.isEmpty else { return }
        let method = TargetIndex.Method(
            name: name, labels: labels ?? clause.parameters.map(\.firstName.text),
            types: clause.parameters.map(\.type.trimmedDescription), selector: selector,
            givesValue: givesValue, isOnMainActor: isOnMainActor,
            isOverride: modifiers.has("override"))
        members.append((scope.joined(separator: "."), [], [method]))
    }
}

extension String {
    var trimmingBackticks: String { filter { $0 != "`" } }
}
