import SwiftSyntax

/// Rewrites tests of XCTest that are isolated to the main actor.
///
/// XCTest finds tests by the type of their methods. On Linux, it ends the process if a synchronous
/// test is isolated to an actor. Therefore the method is renamed, and a nonisolated test calls it
/// on XCTest's thread, which is the main thread.
extension FileRewriter {
    func rewriteMainActorTest(_ node: FunctionDeclSyntax) {
        guard isMainActorTest(node), let body = node.body else { return }
        let name = node.name.text.trimmingBackticks
        let target = ForwarderBuilder.newName(name, in: currentType)
        replace(node.name.textRange, with: target, .mainActorTest)
        var head = node.attributes.kept.filter { $0 != "@MainActor" }
        head += node.modifiers.map(\.trimmedDescription)
        if let override = node.modifiers.first(where: { $0.name.text == "override" }) {
            replace(override.rangeWithSpaces, with: "", .mainActorTest)
        }
        let isThrowing = node.signature.effectSpecifiers?.throwsClause != nil
        let attempt = isThrowing ? "try " : ""
        let text =
            "; nonisolated \((head + ["func \(name)()"]).joined(separator: " "))"
            + (isThrowing ? " throws" : "")
            + " { \(attempt)runOnMainActor(self) { \(attempt)$0.\(target)() } }"
        insert(text, at: body.textRange.upperBound, .mainActorTest)
    }

    private func isMainActorTest(_ node: FunctionDeclSyntax) -> Bool {
        let signature = node.signature
        let hidden: Set = ["static", "class", "private", "fileprivate", "nonisolated"]
        guard node.name.text.trimmingBackticks.hasPrefix("test"), !node.isLocal,
            signature.parameterClause.parameters.isEmpty, signature.returnClause == nil,
            signature.effectSpecifiers?.asyncSpecifier == nil,
            !node.modifiers.contains(where: { hidden.contains($0.name.text) }),
            index.isTestCase(currentType),
            // ``ForwarderBuilder`` rewrites overrides in extensions.
            !(node.modifiers.has("override") && node.owner?.is(ExtensionDeclSyntax.self) == true)
        else { return false }
        return index.methods(node.name.text.trimmingBackticks, of: currentType)
            .first { $0.labels.isEmpty }
            .map { index.isOnMainActor($0, of: currentType) } ?? false
    }
}

extension TargetIndex {
    /// Whether the class inherits from a type whose name ends in `TestCase`. The base class may be
    /// in another module.
    func isTestCase(_ type: String) -> Bool {
        ancestry(type).contains { declared in
            declared.inherited.contains {
                $0.split(separator: ".").last?.hasSuffix("TestCase") == true
            }
        }
    }
}
