import SwiftSyntax

/// Rewrites casts that have another effect without the Objective-C runtime: casts of requests,
/// collections and predicate arguments.
extension FileRewriter {
    func rewriteCasts(_ node: SequenceExprSyntax) {
        let elements = Array(node.elements)
        for position in elements.indices where position > 0 && position + 1 < elements.count {
            guard let type = elements[position + 1].as(TypeExprSyntax.self)?.type else { continue }
            if let cast = elements[position].as(UnresolvedAsExprSyntax.self) {
                rewrite(cast, elements[position - 1], type, in: node)
            } else if elements[position].is(UnresolvedIsExprSyntax.self), Self.isRequest(type) {
                // In Objective-C, all fetch requests have the same class, whatever their result
                // type is.
                wrap(elements[position - 1], type, ") != nil)", opening: "(")
            }
        }
    }

    private func rewrite(
        _ cast: UnresolvedAsExprSyntax, _ value: ExprSyntax, _ type: TypeSyntax,
        in node: SequenceExprSyntax
    ) {
        let range = value.textRange.upperBound..<type.textRange.upperBound
        switch cast.questionOrExclamationMark?.text {
        case "!":
            if Self.isRequest(type) { wrap(value, type, ")!") }
            rewriteView(value, type)
        case "?":
            if Self.isRequest(type) { wrap(value, type, ")") }
            rewriteView(value, type)
        default:
            if Self.isRequest(type), Self.isPattern(node) {
                warn(
                    node,
                    "requests with different results have different classes on Linux, so this"
                        + " pattern matches none of them; compare the request's entityName")
            } else if Self.isBridged(type), !Self.isLiteral(value), !Self.isPattern(node) {
                // On Linux, `as` converts values to objects, but not objects to values.
                insert("!", at: cast.asKeyword.textRange.upperBound, .bridging)
            } else if let collection = Self.collection(type), !Self.isLiteral(value),
                !Self.isPattern(node), node.elements.count == 3
            {
                wrap(
                    value, "ObjectiveCCollection", upTo: type, ", to: \(collection).self)",
                    .bridging)
            } else if isFormatArgument(node),
                ["CVarArg", "any CVarArg"].contains(type.trimmedDescription)
            {
                // On Linux, predicates accept dates and IDs without a cast.
                replace(range, with: "", .predicateArgument)
            }
        }
    }

    /// Replaces `mutableSetValue` in a cast to a Swift set by `value`. The cast copies the members
    /// in both cases.
    private func rewriteView(_ value: ExprSyntax, _ type: TypeSyntax) {
        guard type.as(IdentifierTypeSyntax.self)?.name.text == "Set" else { return }
        let call = Self.withoutEffects(value).as(FunctionCallExprSyntax.self)
        let called = call?.calledExpression
        let name =
            called?.as(MemberAccessExprSyntax.self)?.declName.baseName
            ?? called?.as(DeclReferenceExprSyntax.self)?.baseName
        if let name, name.text == "mutableSetValue" {
            replace(name.textRange, with: "value", .bridging)
        }
    }

    private static func withoutEffects(_ value: ExprSyntax) -> ExprSyntax {
        if let inner = value.as(TryExprSyntax.self)?.expression { return withoutEffects(inner) }
        if let inner = value.as(AwaitExprSyntax.self)?.expression { return withoutEffects(inner) }
        return value
    }

    /// Replaces a cast by a call of `NSFetchRequest<T>.cast(_:)`, which accepts any value.
    private func wrap(
        _ value: ExprSyntax, _ type: TypeSyntax, _ end: String, opening: String = ""
    ) {
        let start = opening + type.trimmedDescription
        wrap(value, start, upTo: type, end, .request)
    }

    private func wrap(
        _ value: ExprSyntax, _ start: String, upTo type: TypeSyntax, _ end: String,
        _ kind: EditKind
    ) {
        // `try` and `await` must stay before the call.
        let value = Self.withoutEffects(value)
        insert("\(start).cast(", at: value.textRange.lowerBound, kind)
        let rest = value.textRange.upperBound..<type.textRange.upperBound
        replace(rest, with: end, kind)
    }

    private static func isLiteral(_ value: ExprSyntax) -> Bool {
        value.is(ArrayExprSyntax.self) || value.is(DictionaryExprSyntax.self)
            || value.is(NilLiteralExprSyntax.self)
    }

    /// The full name of the type if it is the Swift equivalent of `NSArray`, `NSSet` or
    /// `NSDictionary`; nil for other types.
    private static func collection(_ type: TypeSyntax) -> String? {
        if let optional = type.as(OptionalTypeSyntax.self) {
            return collection(optional.wrappedType).map { $0 + "?" }
        }
        switch type.trimmedDescription.filter({ !$0.isWhitespace }) {
        case "[Any]", "Array", "Array<Any>": return "[Any]"
        case "Set", "Set<AnyHashable>": return "Set<AnyHashable>"
        case "Dictionary", "[AnyHashable:Any]": return "[AnyHashable: Any]"
        default: return nil
        }
    }

    /// Whether the type is the Swift equivalent of any Objective-C set or dictionary.
    private static func isBridged(_ type: TypeSyntax) -> Bool {
        let text = type.trimmedDescription.filter { !$0.isWhitespace }
        return ["Set<NSObject>", "[NSObject:AnyObject]", "[NSObject:Any]"].contains(text)
    }

    private static func isPattern(_ node: SequenceExprSyntax) -> Bool {
        var node = Syntax(node)
        while let parent = node.parent {
            if parent.is(ExpressionPatternSyntax.self) { return true }
            if !parent.is(ExprSyntax.self) { return false }
            node = parent
        }
        return false
    }

    private static func isRequest(_ type: TypeSyntax) -> Bool {
        let request = type.as(IdentifierTypeSyntax.self)
        return request?.name.text == "NSFetchRequest" && request?.genericArgumentClause != nil
    }

    private func isFormatArgument(_ node: SequenceExprSyntax) -> Bool {
        guard let argument = node.parent?.as(LabeledExprSyntax.self),
            let list = argument.parent?.as(LabeledExprListSyntax.self)
        else { return false }
        return list.first?.label?.text == "format"
    }
}
