import SwiftSyntax

/// Visits the syntax tree of one file and collects the edits.
///
/// Edits add no line breaks, so the lines of the copy have the same numbers as in the original.
final class FileRewriter: SyntaxVisitor {
    var edits: [SourceEdit] = []
    private(set) var problems: [(position: AbsolutePosition, message: String)] = []
    /// The keys that accessors in this file use, in order.
    private(set) var keys: [String] = []
    private var known: Set<String> = []
    let index: TargetIndex
    let file: Int
    /// The platform whose `#if` branches are compiled.
    let platform: String?
    /// Nodes that were already rewritten together with an outer node.
    var handled: Set<SyntaxIdentifier> = []
    private var scope: [String] = []
    private(set) var aliases: [Alias] = []
    /// The default implementations of optional methods. Classes that do not declare the methods use
    /// them.
    var defaults: [String] = []
    /// The name of the generated enumeration with the keys. No type of the target has this name.
    let keysName: String

    /// A class that the engine looks up at run time by its Objective-C name.
    struct Alias {
        let name: String
        let type: String
        let condition: String?
        let isHidden: Bool
    }

    init(index: TargetIndex, platform: String?, file: Int = 0) {
        self.index = index
        self.file = file
        self.platform = platform
        var name = "ManagedKeys"
        while index.type(name) != nil { name += "_" }
        keysName = name
        super.init(viewMode: .sourceAccurate)
    }

    /// The type that contains the visited node; empty at file level.
    var currentType: String { scope.joined(separator: ".") }

    func replace(_ range: Range<Int>, with text: String, _ kind: EditKind) {
        edits.append(SourceEdit(range: range, text: text, kind: kind))
    }

    func insert(_ text: String, at position: Int, _ kind: EditKind) {
        replace(position..<position, with: text, kind)
    }

    func warn(_ node: some SyntaxProtocol, _ message: String) {
        problems.append((node.positionAfterSkippingLeadingTrivia, message))
    }

    /// The expression for a property's key. The file has one constant for each key.
    func key(_ name: String) -> String {
        if known.insert(name).inserted { keys.append(name) }
        let isSpecial =
            ["init", "self", "Self", "Type", "Protocol"].contains(name)
            || name.contains { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return keysName + (isSpecial ? ".`\(name)`" : ".\(name)")
    }

    // MARK: Types

    private func enterClass(_ node: ClassDeclSyntax) {
        scope.append(node.name.text)
        let type = currentType
        // A managed object class is also listed if both names are equal: classes of other modules
        // may have that name.
        if let name = node.attributes.objectiveCName,
            name != node.name.text || index.isManaged(type),
            node.genericParameterClause == nil, !node.isLocal
        {
            let isPrivate = ["private", "fileprivate"].contains(node.modifiers.access)
            aliases.append(
                Alias(
                    name: name, type: type, condition: node.configuration,
                    isHidden: isPrivate && scope.count > 1))
        }
        rewriteBody(of: node, named: type)
        rewriteObserver(node)
        if index.valueReaders.contains(type) {
            let text = "extension \(type): KeyValueCodable {}"
            defaults.append(node.configuration.map { "#if \($0)\n\(text)\n#endif" } ?? text)
        }
    }

    /// Adds members to the body of a class: members that call members of extensions, and a required
    /// initialiser that is missing.
    private func rewriteBody(of node: ClassDeclSyntax, named type: String) {
        var members = index.forwarders[type] ?? []
        if let text = missingInitializer(of: node, named: type) {
            members.append(TargetIndex.Forwarder(text: text, condition: nil))
        }
        guard !members.isEmpty else { return }
        let brace = node.memberBlock.rightBrace
        let isOnOwnLine = brace.leadingTrivia.contains { piece in
            switch piece {
            case .newlines, .carriageReturns, .carriageReturnLineFeeds: true
            default: false
            }
        }
        let plain = members.filter { $0.condition == nil }.map(\.text)
        let isFirst = isOnOwnLine || node.memberBlock.members.isEmpty
        var text = (isFirst || plain.isEmpty ? "" : "; ") + plain.joined(separator: "; ")
        if !plain.isEmpty { text += " " }
        for member in members {
            guard let condition = member.condition else { continue }
            text += "\n#if \(condition)\n\(member.text)\n#endif\n"
        }
        if members.contains(where: { $0.condition != nil }) {
            text += RewrittenLine.marker(of: brace.textRange.lowerBound)
        }
        insert(text, at: brace.textRange.lowerBound, .override)
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enterClass(node)
        return .visitChildren
    }
    override func visitPost(_ node: ClassDeclSyntax) { scope.removeLast() }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        scope.append(node.name.text)
        return .visitChildren
    }
    override func visitPost(_ node: StructDeclSyntax) { scope.removeLast() }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        scope.append(node.name.text)
        return .visitChildren
    }
    override func visitPost(_ node: EnumDeclSyntax) { scope.removeLast() }

    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        scope.append(node.name.text)
        return .visitChildren
    }
    override func visitPost(_ node: ActorDeclSyntax) { scope.removeLast() }

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        scope.append(node.name.text)
        rewriteProtocol(node)
        return .visitChildren
    }
    override func visitPost(_ node: ProtocolDeclSyntax) { scope.removeLast() }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        scope = node.extendedType.plainName.split(separator: ".").map(String.init)
        return .visitChildren
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { scope = [] }

    // MARK: Attributes and modifiers

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        let name = node.attributeName.trimmedDescription
        if name == "NSManaged", let declaration = node.attributedDeclaration,
            !declaration.is(VariableDeclSyntax.self), !declaration.is(FunctionDeclSyntax.self)
        {
            warn(node, "@NSManaged is supported only for properties and methods")
            return .skipChildren
        }
        if name == "NSCopying" {
            replace(node.attributeName.textRange, with: "CopiedWhenSet", .copying)
            return .skipChildren
        }
        if let message = RuntimeVocabulary.message(attribute: node) { warn(node, message) }
        guard RewriteVocabulary.dropped.contains(name) else { return .visitChildren }
        replace(node.rangeWithSpaces, with: "", .attribute)
        return .skipChildren
    }

    override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
        switch node.name.text {
        case "dynamic": replace(node.rangeWithSpaces, with: "", .attribute)
        case "optional":
            warn(
                node,
                "protocols have no optional requirements on Linux; declare it without `optional`"
                    + " and give it a default in an extension of the protocol")
        default: break
        }
        return .skipChildren
    }

    // MARK: Declarations

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.attributes.attribute("NSManaged") != nil { rewriteManaged(node) }
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if rewriteOptional(node) { return .skipChildren }
        if node.attributes.attribute("NSManaged") != nil { rewriteManaged(node) }
        if !rewriteObserving(node) { warnOfOverride(node) }
        rewriteMainActorTest(node)
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        rewriteOptionalReference(node)
        let name = node.declName.baseName.text
        if node.base?.trimmedDescription == "Foundation",
            RewriteVocabulary.declaredByCoreData.contains(name)
        {
            replace(node.textRange, with: name, .className)
            return .skipChildren
        }
        return .visitChildren
    }

    /// Rewrites `Foundation.ValueTransformer` and other types that Foundation lacks on Linux.
    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        let name = node.name.text
        guard node.baseType.trimmedDescription == "Foundation",
            RewriteVocabulary.declaredByCoreData.contains(name)
        else { return .visitChildren }
        replace(node.textRange, with: name, .className)
        return .skipChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        rewriteInitializer(node)
        return .visitChildren
    }

    /// Removes the submodule from an import such as `import os.log`. Only Objective-C headers have
    /// submodules.
    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let module = node.path.first else { return .visitChildren }
        if ["ObjectiveC", "Darwin"].contains(module.name.text) {
            let start = (node.importKindSpecifier ?? module.name).textRange.lowerBound
            replace(start..<node.path.textRange.upperBound, with: "Foundation", .moduleName)
            return .visitChildren
        }
        guard node.importKindSpecifier == nil, node.path.count > 1 else { return .visitChildren }
        replace(node.path.textRange, with: module.name.text, .moduleName)
        return .visitChildren
    }

    /// Replaces `#sourceLocation()` by a marker with the line number in the original. Otherwise the
    /// compiler would continue with line numbers of the copy.
    override func visit(_ node: PoundSourceLocationSyntax) -> SyntaxVisitorContinueKind {
        if node.arguments == nil {
            let end = node.textRange.upperBound
            replace(node.textRange, with: RewrittenLine.next(after: end), .location)
        }
        return .skipChildren
    }

    // MARK: Expressions

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        if handled.contains(node.id) { return .skipChildren }
        if ["keyPath", "selector"].contains(node.macroName.text), node.hasError {
            // The replacement would hide the error from the compiler.
            warn(
                node,
                "this #\(node.macroName.text) is incomplete, so it is not rewritten; write its"
                    + " argument and the closing parenthesis")
            return .skipChildren
        }
        switch node.macroName.text {
        case "keyPath":
            rewriteKeyPath(node)
            return .skipChildren
        case "selector":
            rewriteSelector(node)
            return .skipChildren
        default: return .visitChildren
        }
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        rewriteCall(node)
        rewriteObservingCall(node)
        return .visitChildren
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        rewriteCasts(node)
        return .visitChildren
    }
}

/// Markers for `#sourceLocation` directives, with which the compiler reports line numbers of the
/// original. The numbers are filled in when the file is complete.
enum RewrittenLine {
    /// A marker on a separate line. The next line of the copy gets the number of the original line
    /// with the byte at `offset`.
    static func marker(of offset: Int) -> String { "\u{1}\(offset)\u{2}\n" }

    /// A marker without a line break. The next line of the copy gets the number after that of the
    /// original line with the byte at `offset`.
    static func next(after offset: Int) -> String { "\u{1}\(offset)+\u{2}" }

    /// Replaces markers by directives. If `line` is nil, removes the markers.
    static func resolved(_ text: String, file: String, line: ((Int) -> Int)?) -> String {
        guard let start = text.firstIndex(of: "\u{1}"), let end = text.firstIndex(of: "\u{2}")
        else { return text }
        let word = text[text.index(after: start)..<end]
        guard let line else {
            let rest = text[text.index(after: end)...]
            return text[..<start] + (word.hasSuffix("+") ? "#sourceLocation()" : "")
                + (word.hasSuffix("+") ? rest : rest.dropFirst())
        }
        let number = line(Int(word.filter(\.isNumber)) ?? 0) + (word.hasSuffix("+") ? 1 : 0)
        return text[..<start] + directive(file: file, line: number)
            + text[text.index(after: end)...]
    }

    static func directive(file: String, line: Int) -> String {
        let name = file.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "#sourceLocation(file: \"\(name)\", line: \(line))"
    }
}
