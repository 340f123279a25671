import SwiftSyntax

/// Rewrites calls with selectors or Swift key paths, and calls of functions that only the
/// Objective-C runtime has.
extension FileRewriter {
    func rewriteCall(_ node: FunctionCallExprSyntax) {
        let labels = node.arguments.map { $0.label?.text }
        let name = Self.calledName(node)
        if name == nil, rewriteOptionalCall(node) { return }
        if name == "responds", labels == ["to"], rewriteResponds(node) { return }
        if let name, warnOfRuntime(node, name, labels) { return }
        switch (name, labels) {
        case ("addObserver", [nil, "selector", "name", "object"]): rewriteAddObserver(node)
        case ("removeObserver", [nil]), ("removeObserver", [nil, "name", "object"]):
            rewriteRemoveObserver(node)
        case ("NSSortDescriptor", _) where labels.first == "keyPath",
            ("init", _) where labels.first == "keyPath":
            rewriteSortDescriptor(node)
        case (_, ["format", "arguments"]): rewriteArguments(node)
        case ("Bundle", ["identifier"]):
            replace(node.calledExpression.textRange, with: "Bundle.named", .bundle)
        case ("Bundle", ["for"]):
            replace(node.calledExpression.textRange, with: "Bundle.ofTarget", .bundle)
        case ("init", ["for"]), ("init", ["identifier"]): rewriteBundle(node)
        case ("init", ["managedObjectModel"]): rewriteCoordinator(node)
        case (let name?, _) where Self.resources[name]?.contains(labels) == true:
            guard let access = node.calledExpression.as(MemberAccessExprSyntax.self) else { return }
            let word = ObjectiveCName.capitalized(name).replacing("Url", with: "URL")
            replace(access.declName.textRange, with: "resource" + word, .bundle)
        case ("init", ["entity", "insertInto"]):
            // Without a cast to an optional type, Swift would choose another initialiser for a
            // non-optional context.
            guard let access = node.calledExpression.as(MemberAccessExprSyntax.self),
                access.base?.is(SuperExprSyntax.self) == true, let last = node.arguments.last,
                !last.expression.trimmedDescription.hasSuffix("as NSManagedObjectContext?")
            else { return }
            let range = last.expression.textRange
            let isLong = last.expression.is(SequenceExprSyntax.self)
            if isLong { insert("(", at: range.lowerBound, .initializer) }
            insert(
                (isLong ? ")" : "") + " as NSManagedObjectContext?", at: range.upperBound,
                .initializer)
        case ("os", [nil]):
            guard let platform, let argument = node.arguments.first,
                argument.expression.trimmedDescription == platform,
                node.calledExpression.is(DeclReferenceExprSyntax.self), isCondition(node)
            else { return }
            replace(argument.textRange, with: "Linux", .platform)
        case ("description", []): rewriteDescription(node)
        case ("scheduledTimer", _) where labels.contains("selector"),
            ("Timer", _) where labels.contains("selector"):
            rewriteTimer(node)
        case ("registerUndo", ["withTarget", "selector", "object"]): rewriteUndo(node)
        case ("perform", _) where takesSelector(node): rewritePerform(node)
        default: break
        }
    }

    /// Rewrites `NSPredicate(format: …, arguments: getVaList(values))`, because `getVaList` does
    /// not exist on Linux.
    private func rewriteArguments(_ node: FunctionCallExprSyntax) {
        guard let last = node.arguments.last, let label = last.label,
            let list = last.expression.as(FunctionCallExprSyntax.self),
            list.calledExpression.trimmedDescription == "getVaList",
            let values = list.arguments.first?.expression, list.arguments.count == 1
        else { return }
        replace(label.textRange, with: "argumentArray", .predicateArgument)
        let (range, inner) = (list.textRange, values.textRange)
        replace(range.lowerBound..<inner.lowerBound, with: "", .predicateArgument)
        replace(inner.upperBound..<range.upperBound, with: "", .predicateArgument)
    }

    /// The labels of `Bundle`'s methods that find resources, by the methods' names. Code for
    /// Apple's systems calls them on `Bundle.main`, which has no resources in a package.
    private static let resources: [String: Set<[String?]>] = [
        "url": [
            ["forResource", "withExtension"], ["forResource", "withExtension", "subdirectory"],
        ],
        "urls": [["forResourcesWithExtension", "subdirectory"]],
        "path": [["forResource", "ofType"], ["forResource", "ofType", "inDirectory"]],
        "paths": [["forResourcesOfType", "inDirectory"]],
    ]

    /// Rewrites `Bundle.init(for:)` and, if a class is the argument, `.init(for:)`.
    private func rewriteBundle(_ node: FunctionCallExprSyntax) {
        guard let access = node.calledExpression.as(MemberAccessExprSyntax.self),
            let argument = node.arguments.first
        else { return }
        let value = argument.expression.trimmedDescription
        let isOfClass = value.hasSuffix(".self") || value.hasPrefix("type(of:")
        let isImplicit = access.base == nil && argument.label?.text == "for" && isOfClass
        guard access.base?.trimmedDescription == "Bundle" || isImplicit else { return }
        replace(
            access.declName.textRange,
            with: argument.label?.text == "for" ? "ofTarget" : "named", .bundle)
    }

    /// Rewrites `self.init(managedObjectModel:)` in a static member of an extension. Swift permits
    /// such a call only for required initialisers, except for classes from Objective-C.
    private func rewriteCoordinator(_ node: FunctionCallExprSyntax) {
        guard let access = node.calledExpression.as(MemberAccessExprSyntax.self),
            let base = access.base, ["self", "Self"].contains(base.trimmedDescription),
            currentType == "NSPersistentStoreCoordinator"
        else { return }
        var owner = Syntax(node)
        while let parent = owner.parent, !parent.is(MemberBlockItemSyntax.self) { owner = parent }
        let modifiers =
            owner.as(FunctionDeclSyntax.self)?.modifiers
            ?? owner.as(VariableDeclSyntax.self)?.modifiers
        guard let modifiers, modifiers.has("static") || modifiers.has("class") else { return }
        replace(
            node.calledExpression.textRange, with: "NSPersistentStoreCoordinator", .initializer)
    }

    private func isCondition(_ node: FunctionCallExprSyntax) -> Bool {
        var node = Syntax(node)
        while let parent = node.parent {
            if let clause = parent.as(IfConfigClauseSyntax.self) {
                return clause.condition?.id == node.id
            }
            if parent.is(CodeBlockItemSyntax.self) { return false }
            node = parent
        }
        return false
    }

    /// Rewrites `type(of: x).description()`. Classes have this method only with the
    /// Objective-C runtime.
    private func rewriteDescription(_ node: FunctionCallExprSyntax) {
        guard let access = node.calledExpression.as(MemberAccessExprSyntax.self),
            let base = access.base
        else { return }
        var end = ""
        if let call = base.as(FunctionCallExprSyntax.self) {
            guard call.calledExpression.trimmedDescription == "type",
                call.arguments.first?.label?.text == "of"
            else { return }
        } else {
            // Without `type(of:)`, the base must be a class of this target that does not declare
            // the method.
            guard let type = index.type(base.trimmedDescription, in: currentType), type.isClass,
                index.methods("description", of: type.name).isEmpty
            else { return }
            end = ".self"
        }
        insert("objectiveCName(of: ", at: base.textRange.lowerBound, .className)
        let rest = access.period.textRange.lowerBound..<node.textRange.upperBound
        replace(rest, with: end + ")", .className)
    }

    /// Whether the first argument is a selector. The `perform` of a context takes a closure and is
    /// not rewritten.
    private func takesSelector(_ node: FunctionCallExprSyntax) -> Bool {
        guard let first = node.arguments.first, first.label == nil else { return false }
        if first.expression.as(MacroExpansionExprSyntax.self)?.macroName.text == "selector" {
            return true
        }
        let labels = node.arguments.dropFirst().map { $0.label?.text }
        let isOwn = index.declarers(of: "perform").contains { type in
            type.methods("perform").contains { Array($0.labels.dropFirst()) == labels }
        }
        return !isOwn && ["with", "on"].contains(labels.first)
    }

    private static func calledName(_ node: FunctionCallExprSyntax) -> String? {
        node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
            ?? node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }

    // MARK: Observers

    private func rewriteAddObserver(_ node: FunctionCallExprSyntax) {
        let argument = node.arguments[node.arguments.index(after: node.arguments.startIndex)]
        if bind(argument) { return }
        warn(
            argument,
            "an observer by selector needs #selector(…) right here, so that its method is"
                + " known; use addObserver(forName:object:queue:using:)")
    }

    private func rewriteRemoveObserver(_ node: FunctionCallExprSyntax) {
        guard let access = node.calledExpression.as(MemberAccessExprSyntax.self),
            let base = access.base, let first = node.arguments.first,
            node.arguments.count == 3 || isNotificationCenter(base)
        else { return }
        replace(access.declName.textRange, with: "removeObservers", .observer)
        insert("of: ", at: first.textRange.lowerBound, .observer)
    }

    private func isNotificationCenter(_ base: ExprSyntax) -> Bool {
        guard let names = Self.components(of: base), let last = names.last else { return false }
        if let property = index.property(last, of: currentType) {
            if property.type.hasSuffix("NotificationCenter") { return true }
            if !property.type.isEmpty { return false }
        }
        if last == "default" {
            return names.dropLast().last?.hasSuffix("NotificationCenter") == true
        }
        let word = last.lowercased()
        return word.hasSuffix("center") || word.hasSuffix("notifications") || word == "nc"
    }

    // MARK: Sort descriptors

    /// Replaces a key path by a string. At run time, the names of a key path are missing if the
    /// program's symbols were stripped.
    private func rewriteSortDescriptor(_ node: FunctionCallExprSyntax) {
        if let access = node.calledExpression.as(MemberAccessExprSyntax.self),
            access.base.map({ $0.trimmedDescription != "NSSortDescriptor" }) ?? false
        {
            return
        }
        guard let argument = node.arguments.first, let label = argument.label,
            let literal = argument.expression.as(KeyPathExprSyntax.self), let root = literal.root
        else { return }
        let names = literal.components.compactMap { component -> String? in
            switch component.component {
            case .property(let property): property.declName.baseName.text.trimmingBackticks
            case .optional: ""
            default: nil
            }
        }
        guard names.count == literal.components.count, !node.arguments.dropFirst().isEmpty else {
            return
        }
        if let type = index.type(root.plainName, in: currentType), !index.isManaged(type.name) {
            return
        }
        let path = root.plainName.split(separator: ".").map(String.init)
        let text = keyPath(path + names.filter { !$0.isEmpty })
        replace(label.textRange, with: "key", .sortKeyPath)
        replace(argument.expression.textRange, with: "\"\(text)\"", .sortKeyPath)
    }
}
