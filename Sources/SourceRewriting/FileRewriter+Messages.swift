import SwiftSyntax

/// Rewrites calls that pass selectors, and warns of functions of the Objective-C runtime.
extension FileRewriter {
    func selectedMethod(_ expression: ExprSyntax) -> (name: String, labels: [String]?)? {
        guard let macro = expression.as(MacroExpansionExprSyntax.self),
            macro.macroName.text == "selector", let argument = macro.arguments.first,
            argument.label == nil, let reference = Self.method(in: argument.expression)
        else { return nil }
        return reference
    }

    func rewriteTimer(_ node: FunctionCallExprSyntax) {
        guard let argument = node.arguments.first(where: { $0.label?.text == "selector" }) else {
            return
        }
        let info = node.arguments.first { $0.label?.text == "userInfo" }
        if let info, !info.expression.is(NilLiteralExprSyntax.self) {
            warn(info, "timers have no userInfo on Linux; keep the value in the target")
        }
        if bind(argument) { return }
        warn(
            argument,
            "a timer needs #selector(…) right here, so that its method is known; use"
                + " scheduledTimer(withTimeInterval:repeats:block:)")
    }

    /// Rewrites `perform(#selector(…), with: …)`, if it is a statement and this target declares the
    /// method.
    func rewritePerform(_ node: FunctionCallExprSyntax) {
        let arguments = Array(node.arguments)
        let isLabelled = arguments.dropFirst().allSatisfy { $0.label?.text == "with" }
        guard let first = arguments.first, isLabelled,
            let reference = selectedMethod(first.expression),
            let macro = first.expression.as(MacroExpansionExprSyntax.self)?.arguments.first,
            node.parent?.is(CodeBlockItemSyntax.self) == true,
            let method = chosenMethod(macro.expression),
            method.method.types.count >= arguments.count - 1
        else {
            return warn(
                node,
                "methods cannot be called by selector on Linux; call the method itself, after a"
                    + " delay with DispatchQueue.main.asyncAfter(deadline:execute:)")
        }
        handled.insert(first.expression.id)
        let values = zip(method.method.types, method.method.labels).enumerated().map {
            place, pair in
            let isGiven = place + 1 < arguments.count
            let value = isGiven ? arguments[place + 1].expression.trimmedDescription : "nil"
            let label = pair.1 == "_" ? "" : pair.1 + ": "
            return "\(label)(\(value) as Any?) as! \(pair.0)"
        }
        var base = "self"
        if let access = node.calledExpression.as(MemberAccessExprSyntax.self),
            let written = access.base
        {
            let text = written.trimmedDescription
            base =
                ["self", "super"].contains(text)
                ? text : "(\(text) as AnyObject as! \(method.type))"
        }
        let call = "\(base).\(reference.name)(\(values.joined(separator: ", ")))"
        replace(node.textRange, with: method.method.givesValue ? "_ = \(call)" : call, .selector)
    }

    func rewriteUndo(_ node: FunctionCallExprSyntax) {
        let arguments = Array(node.arguments)
        guard let reference = selectedMethod(arguments[1].expression),
            let macro = arguments[1].expression.as(MacroExpansionExprSyntax.self)?.arguments.first,
            let method = chosenMethod(macro.expression)?.method, method.types.count == 1,
            let label = method.labels.first
        else {
            return warn(
                node, "undo needs a closure on Linux; use registerUndo(withTarget:handler:)")
        }
        handled.insert(arguments[1].expression.id)
        let value = arguments[2].expression.trimmedDescription
        let name = label == "_" ? "" : "\(label): "
        let range = arguments[0].expression.textRange.upperBound..<node.textRange.upperBound
        replace(
            range,
            with: ") { $0.\(reference.name)(\(name)(\(value) as Any?) as! \(method.types[0])) }",
            .selector)
    }

    // MARK: Warnings

    func warnOfOverride(_ node: FunctionDeclSyntax) {
        warnOfValidation(node)
        guard node.modifiers.has("override") else { return }
        let name = node.name.text
        let isKeyed = ["observeValue", "automaticallyNotifiesObservers"].contains(name)
        if isKeyed, index.isManaged(currentType) { return }
        let isClass = node.modifiers.has("class") || node.modifiers.has("static")
        if let message = RuntimeVocabulary.message(override: name, isClass: isClass) {
            warn(node, message)
        }
    }

    /// Warns about a method `validate<Key>` that validation would not call.
    private func warnOfValidation(_ node: FunctionDeclSyntax) {
        let name = node.name.text
        guard name.hasPrefix("validate"), node.labels.first == "_", index.isManaged(currentType),
            let type = node.signature.parameterClause.parameters.first?.type.plainName,
            type.hasSuffix("AutoreleasingUnsafeMutablePointer")
        else { return }
        if node.labels == ["_", "error"] {
            warn(
                node,
                "a save does not call a validation method with an error pointer; declare it with"
                    + " `throws`")
        }
        let isPrivate = ["private", "fileprivate"].contains(node.modifiers.access)
        if isPrivate, let file = index.type(currentType)?.file, file != self.file {
            warn(
                node,
                "a save cannot call '\(name)', because it is private and not in the file of the"
                    + " class; make it internal")
        }
    }

    /// Warns about a call that needs the Objective-C runtime. Returns false for other calls.
    func warnOfRuntime(_ node: FunctionCallExprSyntax, _ name: String, _ labels: [String?]) -> Bool
    {
        if let message = RuntimeVocabulary.message(name, labels) {
            warn(node, message)
            return true
        }
        guard node.calledExpression.is(DeclReferenceExprSyntax.self),
            let message = RuntimeVocabulary.message(function: name), !index.functions.contains(name)
        else { return false }
        warn(node, message)
        return true
    }
}

/// Functions of the Objective-C runtime, with the remedies for warnings.
enum RuntimeVocabulary {
    static func message(_ name: String, _ labels: [String?]) -> String? {
        switch (name, labels) {
        case ("responds", ["to"]), ("instancesRespond", ["to"]):
            "objects do not respond to selectors on Linux; test for a protocol, as in"
                + " (object as? Protocol) != nil"
        case ("performSelector", _) where ["onMainThread", "inBackground"].contains(labels.first):
            "methods cannot be called by selector on Linux; use DispatchQueue"
        case ("cancelPreviousPerformRequests", _):
            "methods cannot be called by selector on Linux; keep a DispatchWorkItem and cancel it"
        case ("detachNewThreadSelector", _), ("Thread", ["target", "selector", "object"]):
            "threads cannot be started by selector on Linux; use Thread.detachNewThread(_:)"
        case ("prepare", ["withInvocationTarget"]):
            "calls cannot be recorded on Linux; use registerUndo(withTarget:handler:)"
        case ("method", ["for"]), ("instanceMethod", ["for"]):
            "implementations of methods are not available on Linux; call the method"
        default: nil
        }
    }

    static func message(override name: String, isClass: Bool) -> String? {
        switch name {
        case "observeValue", "automaticallyNotifiesObservers":
            "keys of this class cannot be observed on Linux; report changes by a closure or a"
                + " notification"
        case "initialize" where isClass, "load" where isClass:
            "'\(name)' is never called on Linux; use a static constant"
        case "forwardingTarget", "forwardInvocation", "resolveInstanceMethod",
            "resolveClassMethod", "doesNotRecognizeSelector", "responds", "conforms", "method":
            "only Objective-C's runtime calls '\(name)'; declare a protocol"
        default: nil
        }
    }

    static func message(attribute node: AttributeSyntax) -> String? {
        switch node.attributeName.trimmedDescription {
        case "UIApplicationMain", "NSApplicationMain":
            "apps have another entry point on Linux; omit the file with `// Except:`, or use @main"
        case "convention" where node.arguments?.trimmedDescription == "objc_method":
            "functions of Objective-C's runtime have no type on Linux; use a Swift function"
        default: nil
        }
    }

    static func message(function name: String) -> String? {
        if name.hasSuffix("AssociatedObject") || name == "objc_removeAssociatedObjects" {
            return
                "associated objects are not available on Linux; declare a stored property, or keep"
                + " a table by ObjectIdentifier"
        }
        if name.hasPrefix("objc_sync_") {
            return "'\(name)' exists only in Objective-C; use NSRecursiveLock"
        }
        let prefixes = [
            "objc_", "class_add", "class_copy", "class_get", "class_replace", "class_set",
            "method_", "object_get", "object_set", "imp_", "ivar_", "sel_", "protocol_get",
        ]
        guard prefixes.contains(where: name.hasPrefix) else { return nil }
        return "'\(name)' needs Objective-C's runtime, which is missing on Linux; use protocols"
            + " and closures"
    }
}
