import SwiftSyntax

extension AttributeListSyntax {
    /// The attribute with this name, which may be inside `#if`; nil if the list does not contain
    /// it.
    func attribute(_ name: String) -> AttributeSyntax? {
        for element in self {
            if case .attribute(let attribute) = element {
                if attribute.attributeName.trimmedDescription == name { return attribute }
            } else if case .ifConfigDecl(let condition) = element {
                for clause in condition.clauses {
                    guard case .attributes(let inner) = clause.elements else { continue }
                    if let found = inner.attribute(name) { return found }
                }
            }
        }
        return nil
    }

    /// The attributes that also have a meaning without the Objective-C runtime.
    var kept: [String] {
        compactMap { element in
            guard case .attribute(let attribute) = element else { return nil }
            let name = attribute.attributeName.trimmedDescription
            return RewriteVocabulary.dropped.contains(name) ? nil : attribute.trimmedDescription
        }
    }

    var objectiveCName: String? {
        guard let attribute = attribute("objc"), let arguments = attribute.arguments else {
            return nil
        }
        let text = arguments.tokens(viewMode: .sourceAccurate).map(\.text).joined()
        return text.isEmpty ? nil : text
    }
}

extension AttributeSyntax {
    /// The declaration to which the attribute belongs, also if the attribute is inside `#if`.
    var attributedDeclaration: Syntax? {
        var node = parent
        while let next = node {
            if !next.is(AttributeListSyntax.self), !next.is(IfConfigClauseSyntax.self),
                !next.is(IfConfigClauseListSyntax.self), !next.is(IfConfigDeclSyntax.self)
            {
                return next
            }
            node = next.parent
        }
        return nil
    }
}

extension DeclModifierListSyntax {
    func has(_ keyword: String) -> Bool {
        contains { $0.name.text == keyword && $0.detail == nil }
    }

    /// The explicit access level; empty if none is written.
    var access: String {
        let levels: Set = ["open", "public", "package", "internal", "fileprivate", "private"]
        return first { levels.contains($0.name.text) && $0.detail == nil }?.name.text ?? ""
    }
}

extension FunctionDeclSyntax {
    var labels: [String] { signature.parameterClause.parameters.map(\.firstName.text) }

    /// The type or extension that contains the member. If the member is inside `#if`, it is another
    /// node.
    var owner: Syntax? { parent?.parent?.parent?.parent }
}

extension SubscriptDeclSyntax {
    /// The argument labels. A parameter with one name has the label `_`.
    var labels: [String] {
        parameterClause.parameters.map { $0.secondName == nil ? "_" : $0.firstName.text }
    }
}

extension Trivia {
    /// The number of line breaks, with those inside comments.
    var newlines: Int {
        reduce(0) { count, piece in
            switch piece {
            case .newlines(let more), .carriageReturns(let more),
                .carriageReturnLineFeeds(let more):
                count + more
            case .blockComment(let text), .docBlockComment(let text):
                count + text.count(where: \.isNewline)
            default: count
            }
        }
    }
}

extension SyntaxProtocol {
    var textRange: Range<Int> {
        positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
    }

    /// Whether the declaration is inside a function body, where other code cannot refer to it.
    var isLocal: Bool {
        var node = Syntax(self)
        while let parent = node.parent {
            if parent.is(CodeBlockSyntax.self) || parent.is(ClosureExprSyntax.self)
                || parent.is(AccessorBlockSyntax.self)
            {
                return true
            }
            node = parent
        }
        return false
    }

    var rangeWithSpaces: Range<Int> {
        var end = endPositionBeforeTrailingTrivia.utf8Offset
        for piece in trailingTrivia {
            switch piece {
            case .spaces(let count), .tabs(let count): end += count
            default: return textRange.lowerBound..<end
            }
        }
        return textRange.lowerBound..<end
    }

    /// The enclosing `#if` conditions, joined by `&&`; nil if no condition encloses the node.
    var configuration: String? {
        var conditions: [String] = []
        var node = Syntax(self)
        while let parent = node.parent {
            if let clause = parent.as(IfConfigClauseSyntax.self),
                let clauses = clause.parent?.as(IfConfigClauseListSyntax.self)
            {
                for earlier in clauses.prefix(while: { $0.id != clause.id }) {
                    if let condition = earlier.condition {
                        conditions.append("!(\(condition.trimmedDescription))")
                    }
                }
                if let condition = clause.condition {
                    conditions.append("(\(condition.trimmedDescription))")
                }
            }
            node = parent
        }
        return conditions.isEmpty ? nil : conditions.joined(separator: " && ")
    }
}

extension TypeSyntax {
    var plainName: String {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.plainName }
        if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return optional.wrappedType.plainName
        }
        if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        if let member = self.as(MemberTypeSyntax.self) {
            return member.baseType.plainName + "." + member.name.text
        }
        return trimmedDescription
    }

    /// The type on which a key path continues after a property of this type. For a collection, it
    /// is the type of the elements.
    var destinationName: String {
        let inner = self.as(OptionalTypeSyntax.self)?.wrappedType ?? self
        if let generic = inner.as(IdentifierTypeSyntax.self),
            let argument = generic.genericArgumentClause?.arguments.first
        {
            switch argument.argument {
            case .type(let type): return type.plainName
            default: break
            }
        }
        return plainName
    }
}
