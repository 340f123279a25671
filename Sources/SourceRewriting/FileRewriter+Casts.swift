import SwiftSyntax

/// Casts that Objective-C does by another rule: of requests, and of arguments of predicates.
extension FileRewriter {
    func rewriteCasts(_ node: SequenceExprSyntax) {
        let elements = Array(node.elements)
        for position in elements.indices where position > 0 && position + 1 < elements.count {
            guard let type = elements[position + 1].as(TypeExprSyntax.self)?.type else { continue }
            if let cast = elements[position].as(UnresolvedAsExprSyntax.self) {
                rewrite(cast, elements[position - 1], type, in: node)
            } else if elements[position].is(UnresolvedIsExprSyntax.self), Self.isRequest(type) {
                // Requests of all results are of one class there.
                wrap(elements[position - 1], "(", type, ") != nil)")
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
            guard let result = Self.requestResult(type) else { return }
            replace(range, with: ".withResults(of: \(result).self)", .request)
        case "?":
            if Self.isRequest(type) { wrap(value, "", type, ")") }
        default:
            if Self.isRequest(type), Self.isPattern(node) {
                warn(
                    node,
                    "requests of other results are of other classes here, so that this pattern"
                        + " fits none of them; ask for the request's entityName")
            } else if Self.isBridged(type), !value.is(ArrayExprSyntax.self),
                !value.is(DictionaryExprSyntax.self), !Self.isPattern(node)
            {
                // Values become objects by `as` here, and objects values by `as!` alone.
                insert("!", at: cast.asKeyword.textRange.upperBound, .bridging)
            } else if isFormatArgument(node),
                ["CVarArg", "any CVarArg"].contains(type.trimmedDescription)
            {
                // Dates, ids and objects are none here; predicates take them as they are.
                replace(range, with: "", .predicateArgument)
            }
        }
    }

    /// Makes a cast a call of `NSFetchRequest<T>.cast(_:)`, which takes anything.
    private func wrap(_ value: ExprSyntax, _ start: String, _ type: TypeSyntax, _ end: String) {
        var value = value
        // `try` and `await` stay before the whole.
        while true {
            if let inner = value.as(TryExprSyntax.self)?.expression {
                value = inner
            } else if let inner = value.as(AwaitExprSyntax.self)?.expression {
                value = inner
            } else {
                break
            }
        }
        let name = type.trimmedDescription
        insert("\(start)\(name).cast(", at: value.textRange.lowerBound, .request)
        let rest = value.textRange.upperBound..<type.textRange.upperBound
        replace(rest, with: end, .request)
    }

    /// Whether the type is what all sets or dictionaries of Objective-C are in Swift.
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

    private static func isRequest(_ type: TypeSyntax) -> Bool { requestResult(type) != nil }

    private static func requestResult(_ type: TypeSyntax) -> String? {
        guard let request = type.as(IdentifierTypeSyntax.self),
            request.name.text == "NSFetchRequest",
            let argument = request.genericArgumentClause?.arguments.first
        else { return nil }
        let text = argument.argument.trimmedDescription
        return text.contains(" ") ? "(\(text))" : text
    }

    private func isFormatArgument(_ node: SequenceExprSyntax) -> Bool {
        guard let argument = node.parent?.as(LabeledExprSyntax.self),
            let list = argument.parent?.as(LabeledExprListSyntax.self)
        else { return false }
        return list.first?.label?.text == "format"
    }
}
