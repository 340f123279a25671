import SwiftSyntax

/// Rewrites Objective-C protocols, and calls of their optional methods.
extension FileRewriter {
    func rewriteProtocol(_ node: ProtocolDeclSyntax) {
        guard node.attributes.attribute("objc") != nil else { return }
        let inherited = node.inheritanceClause?.inheritedTypes.map(\.type.plainName) ?? []
        if inherited.contains(where: { ["AnyObject", "NSObjectProtocol", "class"].contains($0) }) {
            return
        }
        if let clause = node.inheritanceClause {
            insert(" AnyObject,", at: clause.colon.textRange.upperBound, .attribute)
        } else {
            let end =
                node.primaryAssociatedTypeClause?.textRange.upperBound
                ?? node.name.textRange.upperBound
            insert(": AnyObject", at: end, .attribute)
        }
    }

    func rewriteOptional(_ node: FunctionDeclSyntax) -> Bool {
        guard let owner = index.type(currentType), owner.isProtocol,
            let member = OptionalMember(node, of: owner)
        else { return false }
        let lines = node.tokens(viewMode: .sourceAccurate).dropFirst()
            .reduce(0) { $0 + $1.leadingTrivia.newlines }
        replace(
            node.textRange, with: member.requirement + String(repeating: "\n", count: lines),
            .optional)
        defaults.append(member.defaultValue)
        return true
    }

    /// Rewrites `object.method?(…)`. Returns false if it is not a call of an optional method.
    func rewriteOptionalCall(_ node: FunctionCallExprSyntax) -> Bool {
        guard let chain = node.calledExpression.as(OptionalChainingExprSyntax.self),
            let access = chain.expression.as(MemberAccessExprSyntax.self)
        else { return false }
        let name = access.declName.baseName.text.trimmingBackticks
        let labels = node.arguments.map { $0.label?.text ?? "_" }
        let hasClosure = node.trailingClosure != nil
        let member = index.optionals.first { member in
            let method = member.method
            guard method.name == name, method.labels.starts(with: labels) else { return false }
            return hasClosure
                ? method.labels.count == labels.count + 1
                    && method.types.last?.contains("->") == true
                : method.labels.count == labels.count
        }
        guard let member else { return rewriteDelegateCall(chain, name, labels) }
        if index.declarers(of: name).contains(where: { $0.property(name) != nil }) {
            warn(
                access.declName,
                "'\(name)' is an optional method and a property in this target, so this call"
                    + " is ambiguous; rename one")
            return false
        }
        replace(access.declName.textRange, with: member.name, .optional)
        for argument in node.arguments {
            guard let label = argument.label else { continue }
            // A closure in a property has no argument labels.
            replace(
                label.textRange.lowerBound..<argument.expression.textRange.lowerBound, with: "",
                .optional)
        }
        return true
    }

    /// Removes the question mark from a call of an optional method of a results controller's
    /// delegate. On Linux, every delegate has all of these methods.
    private func rewriteDelegateCall(
        _ chain: OptionalChainingExprSyntax, _ name: String, _ labels: [String]
    ) -> Bool {
        let isDelegates =
            switch name {
            case "controllerWillChangeContent", "controllerDidChangeContent": labels == ["_"]
            case "controller":
                ["didChange", "didChangeContentWith", "sectionIndexTitleForSectionName"].contains(
                    labels.dropFirst().first)
            default: false
            }
        guard isDelegates else { return false }
        replace(chain.questionMark.textRange, with: "", .optional)
        return true
    }

    /// Rewrites a reference `object.method(_:label:)` that is not called, for example if it is
    /// compared with nil.
    func rewriteOptionalReference(_ node: MemberAccessExprSyntax) {
        guard let base = node.base, !base.is(SuperExprSyntax.self),
            base.trimmedDescription != "self"
        else { return }
        let name = node.declName.baseName.text.trimmingBackticks
        let labels = node.declName.argumentNames?.arguments.map(\.name.text)
        guard labels != nil || isComparedWithNil(node) else { return }
        let member = index.optionals.first { member in
            member.method.name == name && (labels == nil || labels == member.method.labels)
        }
        guard let member, index.type(base.trimmedDescription, in: currentType) == nil else {
            return
        }
        replace(node.declName.textRange, with: member.name, .optional)
    }

    private func isComparedWithNil(_ node: MemberAccessExprSyntax) -> Bool {
        guard let list = node.parent?.as(ExprListSyntax.self), list.count == 3 else { return false }
        let elements = Array(list)
        return elements[0].id == node.id && elements[2].is(NilLiteralExprSyntax.self)
    }

    /// Rewrites `object.responds(to: #selector(Protocol.method))`. Returns false if the method is
    /// not an optional one.
    func rewriteResponds(_ node: FunctionCallExprSyntax) -> Bool {
        guard let access = node.calledExpression.as(MemberAccessExprSyntax.self),
            let base = access.base, let argument = node.arguments.first,
            let macro = argument.expression.as(MacroExpansionExprSyntax.self),
            let target = macro.arguments.first?.expression,
            let reference = Self.method(in: target)
        else { return false }
        let isChained = base.tokens(viewMode: .sourceAccurate).contains {
            $0.tokenKind == .postfixQuestionMark
        }
        let member = index.optionals.first { member in
            member.method.name == reference.name
                && (reference.labels == nil || reference.labels == member.method.labels)
        }
        guard let member, !isChained else { return false }
        handled.insert(macro.id)
        insert("(", at: base.textRange.lowerBound, .optional)
        replace(
            access.period.textRange.lowerBound..<node.textRange.upperBound,
            with: ".\(member.name) != nil)", .optional)
        return true
    }
}
