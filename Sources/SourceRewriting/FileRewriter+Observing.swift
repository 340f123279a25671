import SwiftSyntax

/// Rewrites `override func observeValue(forKeyPath:of:change:context:)`. On Linux, no superclass
/// has this method, so the class conforms to `KeyValueObserver` instead.
extension FileRewriter {
    func rewriteObserver(_ node: ClassDeclSyntax) {
        let type = index.types[currentType]
        guard type?.methods.contains(where: { $0.isObserving && $0.isOverride }) == true,
            index.isFirstObserver(currentType)
        else { return }
        if let last = node.inheritanceClause?.inheritedTypes.last {
            insert(", KeyValueObserver", at: last.textRange.upperBound, .observer)
        } else {
            let end =
                node.genericParameterClause?.textRange.upperBound
                ?? node.name.textRange.upperBound
            insert(": KeyValueObserver", at: end, .observer)
        }
    }

    /// Removes `override` from `observeValue`, and returns false for other functions. If the method
    /// is in an extension, ``ForwarderBuilder`` rewrites it.
    func rewriteObserving(_ node: FunctionDeclSyntax) -> Bool {
        guard node.isObserving, index.isFirstObserver(currentType) else { return false }
        let owner = node.owner
        if owner?.is(ExtensionDeclSyntax.self) == true { return index.isOwn(currentType) }
        guard owner?.is(ClassDeclSyntax.self) == true,
            let modifier = node.modifiers.first(where: { $0.name.text == "override" })
        else { return false }
        replace(modifier.rangeWithSpaces, with: "", .observer)
        return true
    }

    /// Rewrites `super.observeValue(…)`, which classes call for keys that they do not handle.
    func rewriteObservingCall(_ node: FunctionCallExprSyntax) {
        guard let access = node.calledExpression.as(MemberAccessExprSyntax.self),
            access.base?.is(SuperExprSyntax.self) == true,
            access.declName.baseName.text == "observeValue",
            node.arguments.map({ $0.label?.text ?? "_" }) == TargetIndex.Method.observingLabels,
            index.isFirstObserver(currentType)
        else { return }
        replace(access.textRange, with: "self.observeUnhandledValue", .observer)
    }
}

extension FunctionDeclSyntax {
    var isObserving: Bool {
        name.text == "observeValue" && labels == TargetIndex.Method.observingLabels
            && modifiers.has("override")
    }
}

extension TargetIndex.Method {
    static let observingLabels = ["forKeyPath", "of", "change", "context"]

    var isObserving: Bool { name == "observeValue" && labels == Self.observingLabels }
}

extension TargetIndex {
    /// Whether the target contains no superclass with `observeValue`.
    func isFirstObserver(_ type: String) -> Bool {
        !ancestry(type).dropFirst().contains { $0.methods.contains(where: \.isObserving) }
    }
}
