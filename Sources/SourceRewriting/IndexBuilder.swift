import SwiftSyntax

/// Collects what a file declares.
final class IndexBuilder: SyntaxVisitor {
    private(set) var types: [String: TargetIndex.Declared] = [:]
    /// Members of extensions, which may be of types of other files.
    private(set) var members: [Members] = []
    typealias Members = (
        type: String, properties: [TargetIndex.Property], methods: [TargetIndex.Method]
    )
    private let file: Int
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
            name: path, isClass: isClass, file: file, access: node.modifiers.access,
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
        return .visitChildren
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { scope = [] }

    // Bodies declare nothing that other files see.
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard !scope.isEmpty else { return .skipChildren }
        let found = node.bindings.compactMap { binding -> TargetIndex.Property? in
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
            else { return nil }
            return TargetIndex.Property(
                name: name.trimmingBackticks,
                objectiveCName: node.attributes.objectiveCName ?? name.trimmingBackticks,
                type: binding.typeAnnotation?.type.destinationName ?? "",
                isManaged: node.attributes.attribute("NSManaged") != nil,
                isPrivate: ["private", "fileprivate"].contains(node.modifiers.access),
                isOverride: node.modifiers.has("override"), file: file)
        }
        members.append((scope.joined(separator: "."), found, []))
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard !scope.isEmpty else { return .skipChildren }
        let name = node.name.text.trimmingBackticks
        let method = TargetIndex.Method(
            name: name, labels: node.labels,
            selector: node.attributes.objectiveCName
                ?? ObjectiveCName.selector(name, labels: node.labels),
            isOverride: node.modifiers.has("override"))
        members.append((scope.joined(separator: "."), [], [method]))
        return .skipChildren
    }
}

extension String {
    var trimmingBackticks: String { filter { $0 != "`" } }
}
