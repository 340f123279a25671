import SwiftSyntax

/// Finds members of extensions that Swift alone lets only a class's body have: those that override
/// and those that are overridden.
///
/// The member stays where it is, under another name, so that it keeps its lines and what is
/// private to its file. The class's body gets one line that calls it.
final class ForwarderBuilder: SyntaxVisitor {
    private(set) var edits: [SourceEdit] = []
    private(set) var forwarders: [(type: String, forwarder: TargetIndex.Forwarder)] = []
    private(set) var problems: [(position: AbsolutePosition, message: String)] = []
    private let index: TargetIndex
    private var current: ExtensionDeclSyntax?

    static let prefix = "implementation_"

    init(index: TargetIndex) {
        self.index = index
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        current = node
        return .visitChildren
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { current = nil }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let current, let type = extendedClass(current, node, node.modifiers) else {
            return .skipChildren
        }
        let name = node.name.text.trimmingBackticks
        let method = TargetIndex.Method(
            name: name, labels: node.labels, selector: "",
            isOverride: node.modifiers.has("override"))
        guard method.isOverride || index.isOverridden(method, of: type),
            node.attributes.attribute("NSManaged") == nil
        else { return .skipChildren }
        guard let call = Self.call(of: node) else {
            problems.append(
                (
                    node.position,
                    "a method with variadic parameters cannot be overridden from an extension;"
                        + " move it into the class"
                ))
            return .skipChildren
        }
        let clauses = [
            node.genericParameterClause?.trimmedDescription ?? "",
            Self.oneLine(node.signature),
            node.genericWhereClause.map { " " + Self.oneLine($0) } ?? "",
        ]
        let head = heading(node.attributes, node.modifiers, current)
        let text = "\(head)func \(node.name.text)\(clauses.joined()) { \(call) }"
        add(text, to: type, for: node, name: node.name, modifiers: node.modifiers)
        return .skipChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let current, let type = extendedClass(current, node, node.modifiers),
            let binding = node.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
            let annotation = binding.typeAnnotation,
            node.attributes.attribute("NSManaged") == nil
        else { return .skipChildren }
        let name = pattern.identifier.text
        guard
            node.modifiers.has("override")
                || index.isOverridden(property: name.trimmingBackticks, of: type)
        else { return .skipChildren }
        let target = "self.\(Self.prefix)\(name.trimmingBackticks)"
        let setter = Self.hasSetter(binding) ? " set { \(target) = newValue }" : ""
        let head = heading(node.attributes, node.modifiers, current)
        let text =
            "\(head)var \(name)\(annotation.trimmedDescription) { get { \(target) }\(setter) }"
        add(text, to: type, for: node, name: pattern.identifier, modifiers: node.modifiers)
        return .skipChildren
    }

    // MARK: Parts

    /// The class that is extended. An override in an extension of a class of another module is
    /// told: its body is out of reach.
    private func extendedClass(
        _ node: ExtensionDeclSyntax, _ member: some SyntaxProtocol,
        _ modifiers: DeclModifierListSyntax
    ) -> String? {
        let found = index.type(node.extendedType.plainName)
        if let found, found.isClass { return found.name }
        if modifiers.has("override") {
            problems.append(
                (
                    member.positionAfterSkippingLeadingTrivia,
                    "'\(node.extendedType.trimmedDescription)' is no class of this target, so this"
                        + " override cannot be moved into its body"
                ))
        }
        return nil
    }

    private func add(
        _ text: String, to type: String, for node: some SyntaxProtocol, name: TokenSyntax,
        modifiers: DeclModifierListSyntax
    ) {
        forwarders.append((type, TargetIndex.Forwarder(text: text, condition: node.configuration)))
        let renamed = Self.prefix + name.text.trimmingBackticks
        edits.append(SourceEdit(range: name.textRange, text: renamed, kind: .override))
        for modifier in modifiers where modifier.detail == nil {
            switch modifier.name.text {
            case "override":
                edits.append(
                    SourceEdit(range: modifier.rangeWithSpaces, text: "", kind: .override))
            case "open":
                edits.append(
                    SourceEdit(range: modifier.textRange, text: "public", kind: .override))
            case "private":
                // Called from the class's body, which may be in another file.
                edits.append(
                    SourceEdit(range: modifier.textRange, text: "internal", kind: .override))
            case "fileprivate":
                edits.append(
                    SourceEdit(range: modifier.textRange, text: "internal", kind: .override))
            default: continue
            }
        }
    }

    private func heading(
        _ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax,
        _ parent: ExtensionDeclSyntax
    ) -> String {
        var words: [String] = []
        for element in attributes {
            guard case .attribute(let attribute) = element else { continue }
            if RewriteVocabulary.dropped.contains(attribute.attributeName.trimmedDescription) {
                continue
            }
            words.append(attribute.trimmedDescription)
        }
        if modifiers.access.isEmpty, !parent.modifiers.access.isEmpty {
            words.append(parent.modifiers.access)
        }
        words += modifiers.filter { $0.name.text != "dynamic" }.map(\.trimmedDescription)
        return words.isEmpty ? "" : words.joined(separator: " ") + " "
    }

    private static func call(of node: FunctionDeclSyntax) -> String? {
        var arguments: [String] = []
        for parameter in node.signature.parameterClause.parameters {
            if parameter.ellipsis != nil { return nil }
            let label = parameter.firstName.text
            let name = parameter.secondName?.text ?? label
            let isInOut = parameter.type.trimmedDescription.hasPrefix("inout ")
            arguments.append((label == "_" ? "" : "\(label): ") + (isInOut ? "&" : "") + name)
        }
        let effects = node.signature.effectSpecifiers
        let words =
            (effects?.throwsClause != nil ? "try " : "")
            + (effects?.asyncSpecifier != nil ? "await " : "")
        let name = prefix + node.name.text.trimmingBackticks
        return "\(words)self.\(name)(\(arguments.joined(separator: ", ")))"
    }

    private static func hasSetter(_ binding: PatternBindingSyntax) -> Bool {
        guard case .accessors(let accessors) = binding.accessorBlock?.accessors else {
            return false
        }
        return accessors.contains { $0.accessorSpecifier.text == "set" }
    }

    /// The tokens on one line, without comments.
    private static func oneLine(_ node: some SyntaxProtocol) -> String {
        var text = ""
        for token in node.tokens(viewMode: .sourceAccurate) {
            let isApart = !token.leadingTrivia.isEmpty || !token.trailingTrivia.isEmpty
            text += token.text + (isApart ? " " : "")
        }
        return text
    }
}

/// Words that mean something to Objective-C alone.
enum RewriteVocabulary {
    static let dropped: Set<String> = [
        "objc", "objcMembers", "nonobjc", "NSManaged", "IBAction", "IBOutlet", "IBInspectable",
        "IBDesignable", "IBSegueAction", "GKInspectable", "NSApplicationMain",
        "UIApplicationMain", "objcImplementation",
    ]
}
