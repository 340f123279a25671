import SwiftSyntax

/// Finds members of extensions that override another member or are overridden. Without the
/// Objective-C runtime, Swift permits them only in a class's body.
///
/// The member is renamed, and a new member in the class's body calls it. It is not moved, so its
/// lines keep their numbers, and it can use private members of its file.
final class ForwarderBuilder: SyntaxVisitor {
    var edits: [SourceEdit] = []
    private(set) var forwarders: [(type: String, forwarder: TargetIndex.Forwarder)] = []
    private(set) var problems: [(position: AbsolutePosition, message: String)] = []
    private let index: TargetIndex
    private var current: ExtensionDeclSyntax?

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

    // MARK: Methods

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        let labels = node.labels
        guard node.attributes.attribute("NSManaged") == nil,
            let type = target(
                node, node.modifiers,
                isOverridden: { index, type in
                    let method = TargetIndex.Method(
                        name: node.name.text.trimmingBackticks, labels: labels, selector: "",
                        isOverride: false)
                    return index.isOverridden(method, of: type)
                })
        else { return .skipChildren }
        let parameters = node.signature.parameterClause
        guard let arguments = Self.arguments(parameters) else {
            return warn(node, Self.variadicMessage)
        }
        if node.name.text.first.map({ !$0.isLetter && $0 != "_" && $0 != "`" }) ?? true {
            return warn(node, "an operator cannot be moved into the class's body; write it there")
        }
        let name = Self.newName(node.name.text, in: type)
        let effects = node.signature.effectSpecifiers
        let call =
            Self.words(effects?.throwsClause, effects?.asyncSpecifier)
            + "self.\(name)(\(arguments.joined(separator: ", ")))"
        let clauses =
            (node.genericParameterClause?.trimmedDescription ?? "")
            + Self.oneLine(node.signature)
            + (node.genericWhereClause.map { " " + Self.oneLine($0) } ?? "")
        var head = heading(node.attributes, node.modifiers)
        // On Linux, no superclass has the method.
        if node.isObserving, index.isFirstObserver(type) { head.replace("override ", with: "") }
        forward("\(head)func \(node.name.text)\(clauses) { \(call) }", to: type, for: node)
        edits.append(SourceEdit(range: node.name.textRange, text: name, kind: .override))
        release(node.modifiers)
        return .skipChildren
    }

    // MARK: Properties

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let binding = node.bindings.first,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
            let annotation = binding.typeAnnotation,
            node.attributes.attribute("NSManaged") == nil,
            let type = target(
                node, node.modifiers,
                isOverridden: { index, type in
                    index.isOverridden(property: name.text.trimmingBackticks, of: type)
                })
        else { return .skipChildren }
        let head = heading(node.attributes, node.modifiers)
        let declaration = "\(head)var \(name.text)\(annotation.trimmedDescription)"
        if let observers = Self.observers(binding) {
            let list = observers.map { observer in
                observe(name.text, annotation.type.trimmedDescription, observer, in: type)
            }
            forward("\(declaration) { \(list.joined(separator: " ")) }", to: type, for: node)
            unwrap(node, binding)
            return .skipChildren
        }
        let target = Self.newName(name.text, in: type)
        let accessors = Self.accessors(binding.accessorBlock, of: "self.\(target)")
        forward("\(declaration) { \(accessors) }", to: type, for: node)
        edits.append(SourceEdit(range: name.textRange, text: target, kind: .override))
        release(node.modifiers)
        return .skipChildren
    }

    // MARK: Subscripts and initialisers

    override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
        let labels = node.labels
        guard
            let type = target(
                node, node.modifiers,
                isOverridden: { index, type in
                    let method = TargetIndex.Method(
                        name: "subscript", labels: labels, selector: "", isOverride: false)
                    return index.isOverridden(method, of: type)
                })
        else { return .skipChildren }
        guard
            let arguments = relabel(node.parameterClause, in: type, isSubscript: true)
        else { return warn(node, Self.variadicMessage) }
        let clauses =
            (node.genericParameterClause?.trimmedDescription ?? "")
            + Self.oneLine(node.parameterClause) + " " + Self.oneLine(node.returnClause)
            + (node.genericWhereClause.map { " " + Self.oneLine($0) } ?? "")
        let accessors = Self.accessors(
            node.accessorBlock, of: "self[\(arguments.joined(separator: ", "))]")
        let head = heading(node.attributes, node.modifiers)
        forward("\(head)subscript\(clauses) { \(accessors) }", to: type, for: node)
        release(node.modifiers)
        return .skipChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        let parameters = node.signature.parameterClause
        let labels = parameters.parameters.map(\.firstName.text)
        guard let type = target(node, node.modifiers, isOverridden: { _, _ in false }) else {
            return .skipChildren
        }
        // On Linux, `init(context:)` satisfies a requirement of a protocol, so it overrides
        // nothing.
        if labels == ["context"], index.isManaged(type) { return .skipChildren }
        if labels == ["entity", "insertInto"], index.isManaged(type) {
            return warn(
                node,
                "an extension cannot have init(entity:insertInto:), which is required here; write"
                    + " it in the class's body")
        }
        guard let arguments = relabel(parameters, in: type, isSubscript: false) else {
            return warn(node, Self.variadicMessage)
        }
        let effects = node.signature.effectSpecifiers
        let call =
            Self.words(effects?.throwsClause, effects?.asyncSpecifier)
            + "self.init(\(arguments.joined(separator: ", ")))"
        let clauses =
            (node.optionalMark?.text ?? "")
            + (node.genericParameterClause?.trimmedDescription ?? "")
            + Self.oneLine(node.signature)
        let head = heading(node.attributes, node.modifiers)
        forward("\(head)init\(clauses) { \(call) }", to: type, for: node)
        release(node.modifiers)
        return .skipChildren
    }

    // MARK: Parts

    /// The class whose body must call the member; nil if the member needs no change. If the class
    /// is in another module, its body cannot be changed, so an override causes a warning.
    private func target(
        _ member: some SyntaxProtocol, _ modifiers: DeclModifierListSyntax,
        isOverridden: (TargetIndex, String) -> Bool
    ) -> String? {
        guard let current else { return nil }
        let isOverride = modifiers.has("override")
        guard let found = index.type(current.extendedType.plainName), found.isClass,
            index.isOwn(found.name)
        else {
            if isOverride {
                let name = current.extendedType.trimmedDescription
                problems.append(
                    (
                        member.positionAfterSkippingLeadingTrivia,
                        "'\(name)' is not a class of this target, so this override cannot be moved"
                            + " into its body; write a subclass"
                    ))
            }
            return nil
        }
        // If the member is open, a class in another module can override it.
        let isNeeded = isOverride || modifiers.has("open") || isOverridden(index, found.name)
        return isNeeded ? found.name : nil
    }

    private func warn(
        _ node: some SyntaxProtocol, _ message: String
    ) -> SyntaxVisitorContinueKind {
        problems.append((node.positionAfterSkippingLeadingTrivia, message))
        return .skipChildren
    }

    private static let variadicMessage =
        "a member with variadic parameters cannot be overridden from an extension; move it into"
        + " the class"

    private func forward(_ text: String, to type: String, for node: some SyntaxProtocol) {
        forwarders.append((type, TargetIndex.Forwarder(text: text, condition: node.configuration)))
    }

    /// Removes modifiers that are permitted only in a class's body.
    private func release(_ modifiers: DeclModifierListSyntax) {
        for modifier in modifiers where modifier.detail == nil {
            let text: String
            switch modifier.name.text {
            case "override":
                edits.append(
                    SourceEdit(range: modifier.rangeWithSpaces, text: "", kind: .override))
                continue
            case "open": text = "public"
            // The class's body, which calls the member, can be in another file.
            case "private", "fileprivate": text = "internal"
            default: continue
            }
            edits.append(SourceEdit(range: modifier.textRange, text: text, kind: .override))
        }
    }

    private func heading(
        _ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax
    ) -> String {
        var words = attributes.kept
        if let current {
            words = current.attributes.kept + words
            if modifiers.access.isEmpty, !current.modifiers.access.isEmpty {
                words.append(current.modifiers.access)
            }
        }
        words += modifiers.filter { $0.name.text != "dynamic" }.map(\.trimmedDescription)
        return words.isEmpty ? "" : words.joined(separator: " ") + " "
    }

    // MARK: Labels

    /// Changes the label of the first parameter. With the old label, the member would conflict with
    /// the new one in the class's body. Returns the arguments for a call; nil if the parameters
    /// cannot be passed on.
    private func relabel(
        _ clause: FunctionParameterClauseSyntax, in type: String, isSubscript: Bool
    ) -> [String]? {
        let label = Self.newName("", in: type)
        guard let first = clause.parameters.first else {
            let place = clause.leftParen.textRange.upperBound
            edits.append(
                SourceEdit(
                    range: place..<place, text: "\(label) implementation: Void", kind: .override))
            return ["\(label): ()"]
        }
        guard var arguments = Self.arguments(clause, isSubscript: isSubscript) else { return nil }
        let name = (first.secondName ?? first.firstName).text
        let hasLabel = first.firstName.text != "_" && (!isSubscript || first.secondName != nil)
        let renamed = hasLabel ? label + first.firstName.text.trimmingBackticks : label
        let isInOut = first.type.trimmedDescription.hasPrefix("inout ")
        let isWritten = first.type.trimmedDescription.contains("@autoclosure")
        arguments[0] = "\(renamed): " + (isInOut ? "&" : "") + name + (isWritten ? "()" : "")
        edits.append(
            SourceEdit(
                range: first.firstName.textRange,
                text: first.secondName == nil ? "\(renamed) \(name)" : renamed, kind: .override))
        return arguments
    }
}
