import SwiftSyntax

/// `override func observeValue(forKeyPath:of:change:context:)`, which no class above has here: the
/// class conforms to `KeyValueObserver` in its place.
extension FileRewriter {
    private static let labels = ["forKeyPath", "of", "change", "context"]

    /// Has a class that observes keys say so.
    func rewriteObserver(_ node: ClassDeclSyntax) {
        let declares = node.memberBlock.members.contains {
            $0.decl.as(FunctionDeclSyntax.self).map(isObserving) ?? false
        }
        guard declares, isFirstObserver else { return }
        if let last = node.inheritanceClause?.inheritedTypes.last {
            insert(", KeyValueObserver", at: last.textRange.upperBound, .observer)
        } else {
            let end =
                node.genericParameterClause?.textRange.upperBound
                ?? node.name.textRange.upperBound
            insert(": KeyValueObserver", at: end, .observer)
        }
    }

    /// Takes the `override` off the method; whether it is the one.
    func rewriteObserving(_ node: FunctionDeclSyntax) -> Bool {
        guard isObserving(node), isFirstObserver,
            node.parent?.parent?.parent?.parent?.is(ClassDeclSyntax.self) == true,
            let modifier = node.modifiers.first(where: { $0.name.text == "override" })
        else { return false }
        replace(modifier.rangeWithSpaces, with: "", .observer)
        return true
    }

    /// `super.observeValue(…)`, for what the class does not observe itself.
    func rewriteObservingCall(_ node: FunctionCallExprSyntax) {
        guard let access = node.calledExpression.as(MemberAccessExprSyntax.self),
            access.base?.is(SuperExprSyntax.self) == true,
            access.declName.baseName.text == "observeValue",
            node.arguments.map({ $0.label?.text ?? "_" }) == Self.labels, isFirstObserver
        else { return }
        replace(access.textRange, with: "self.observeUnhandledValue", .observer)
    }

    private func isObserving(_ node: FunctionDeclSyntax) -> Bool {
        node.name.text == "observeValue" && node.labels == Self.labels
            && node.modifiers.has("override")
    }

    /// Whether no class above the visited one has the method.
    private var isFirstObserver: Bool {
        !index.ancestry(currentType).dropFirst().contains { type in
            type.methods.contains { $0.name == "observeValue" && $0.labels == Self.labels }
        }
    }
}
