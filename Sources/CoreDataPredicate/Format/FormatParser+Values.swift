import Foundation

/// Parses values: literals, paths, indexes, functions and the forms that look like functions.
extension FormatParser {
    /// Parses a value, followed by any paths and indexes.
    mutating func postfix() throws(PredicateFormatError) -> Item {
        let start = index
        var item = try primary()
        var count = 0
        while isSymbol(.dot) || isSymbol(.openBracket) {
            let base = try asExpression(item, at: start)
            if isSymbol(.dot) {
                let keys = try pathKeys()
                let joined = Self.path(keys, of: base)
                // The operators in a key path of the evaluated object are checked when the path is
                // complete.
                if case .path = joined.node { try checkOperators(keys, at: start) }
                item = .expression(joined)
            } else {
                item = .expression(NSExpression(node: .element(base, try collectionIndex())))
            }
            count += 1
            guard count <= Self.depthMax else {
                throw error(at: index, "the path is too long", "bind a part of it to a variable")
            }
        }
        guard case .expression(let expression) = item, case .keyPath(let keys) = expression.node
        else { return item }
        let path = ExpressionNode.operatorBeforeValue(keys)
        try checkOperators(path, at: start)
        return path == keys ? item : .expression(NSExpression(node: .keyPath(path)))
    }

    /// Appends a path to its base. `self` is dropped unless it follows an operator.
    private static func path(_ keys: [String], of base: NSExpression) -> NSExpression {
        var joined: [String] = []
        if case .keyPath(let first) = base.node { joined = first }
        for key in keys {
            let isSelf = key == "self" || key == "SELF"
            if !isSelf || joined.last?.hasPrefix("@") == true { joined.append(key) }
        }
        switch base.node {
        case .keyPath: return NSExpression(node: .keyPath(joined))
        case .evaluatedObject: return NSExpression(node: ExpressionNode.path(ofKeys: joined))
        default: return joined.isEmpty ? base : NSExpression(node: .path(base, joined))
        }
    }

    private mutating func pathKeys() throws(PredicateFormatError) -> [String] {
        var keys: [String] = []
        while isSymbol(.dot) {
            index += 1
            switch tokens[index].kind {
            case .word(let word, let upper):
                guard !Keyword.reserved.contains(upper) || upper == "SELF" else {
                    throw reservedWord(word)
                }
                keys.append(upper == "SELF" ? "self" : word)
            case .escapedWord(let word), .operatorWord(let word): keys.append(word)
            case .keys(let more): keys += more
            default:
                throw error(
                    at: index, "a key is missing after '.'", "write a key, as in author.name")
            }
            index += 1
        }
        return keys
    }

    private func checkOperators(_ keys: [String], at start: Int) throws(PredicateFormatError) {
        for (position, key) in keys.enumerated() where key.hasPrefix("@") {
            guard Keyword.collectionOperators.contains(key) else {
                throw error(
                    at: start, "'\(key)' is not a collection operator",
                    "write one of \(Keyword.collectionOperators.joined(separator: ", "))")
            }
            let isLast = position == keys.count - 1
            guard isLast == (key == "@count") || (isLast && isSymbol(.dot)) else {
                throw key == "@count"
                    ? error(at: start, "a path continues after @count", "end the path with @count")
                    : error(at: start, "'\(key)' has no key", "write \(key).price or \(key).self")
            }
        }
    }

    private mutating func collectionIndex() throws(PredicateFormatError)
        -> ExpressionNode.CollectionIndex
    {
        index += 1
        let advice = "write [0], [FIRST], [LAST] or [SIZE]"
        let found: ExpressionNode.CollectionIndex
        let isAlone = isSymbol(.closeBracket, at: index + 1)
        if isAlone, isWord("FIRST") || isWord("LAST") || isWord("SIZE") {
            found = isWord("FIRST") ? .first : isWord("LAST") ? .last : .size
            index += 1
        } else {
            let start = index
            found = .at(try asExpression(try disjunction(), at: start))
        }
        try take(.closeBracket, advice)
        return found
    }

    // MARK: Primary values

    private mutating func primary() throws(PredicateFormatError) -> Item {
        let token = tokens[index]
        switch token.kind {
        case .constant(let value, let isArgument):
            index += 1
            if isArgument, let expression = value as? NSExpression {
                return .expression(expression)
            }
            // A printed predicate must be parseable, so an argument may not be nested more deeply
            // than its literal. Lists may be long, so the nesting is only computed if it can exceed
            // the limit.
            if isArgument, depth > Self.depthMax / 2 {
                try checkDepth(below: ConstantPrinter.levels(of: value))
            }
            return .expression(NSExpression(forConstantValue: value))
        case .word(let word, let upper):
            return try self.word(word, upper)
        case .escapedWord(let word), .operatorWord(let word):
            index += 1
            return .expression(NSExpression(node: .keyPath([word])))
        case .keys(let keys):
            index += 1
            return .expression(NSExpression(node: ExpressionNode.path(ofKeys: keys)))
        case .variable(let name):
            return try variable(name)
        case .symbol(.open):
            index += 1
            let item = try disjunction()
            try take(.close, "close the parenthesis")
            return item
        case .symbol(.openBrace):
            return .expression(NSExpression(forAggregate: try list()))
        case .symbol(let symbol):
            throw error(
                at: index, "expected a value and found '\(symbol.rawValue)'",
                "write a key path, a literal or an argument")
        case .end:
            throw error(
                at: index, "expected a value and found the end of the format",
                "write a key path, a literal or an argument")
        }
    }

    private mutating func variable(_ name: String) throws(PredicateFormatError) -> Item {
        index += 1
        guard isSymbol(.assign) else { return .expression(NSExpression(forVariable: name)) }
        index += 1
        let start = index
        let value = try asExpression(try disjunction(), at: start)
        return .expression(NSExpression(node: .assignment(name, value)))
    }

    private mutating func list() throws(PredicateFormatError) -> [NSExpression] {
        index += 1
        var elements: [NSExpression] = []
        while !isSymbol(.closeBrace) {
            let start = index
            elements.append(try asExpression(try disjunction(), at: start))
            guard isSymbol(.comma) else { break }
            index += 1
        }
        try take(.closeBrace, "write a comma between the elements and '}' at the end")
        return elements
    }

    private mutating func word(
        _ word: String, _ upper: String
    ) throws(PredicateFormatError) -> Item {
        let start = index
        index += 1
        switch upper {
        case "NULL", "NIL": return .expression(NSExpression(forConstantValue: nil))
        case "TRUE", "YES": return .expression(NSExpression(forConstantValue: true))
        case "FALSE", "NO": return .expression(NSExpression(forConstantValue: false))
        case "SELF": return .expression(.expressionForEvaluatedObject())
        case "ANYKEY": return .expression(.expressionForAnyKey())
        case "TRUEPREDICATE": return .predicate(NSPredicate(value: true))
        case "FALSEPREDICATE": return .predicate(NSPredicate(value: false))
        default: break
        }
        if isSymbol(.open) { return .expression(try call(word, upper, at: start)) }
        index = start
        if Keyword.reserved.contains(upper) { throw reservedWord(word) }
        if word.contains(":") {
            throw error(
                at: index, "'\(word)' is a function without arguments", "write \(word)(a, b)")
        }
        index += 1
        return .expression(NSExpression(node: .keyPath([word])))
    }

    private func reservedWord(_ word: String) -> PredicateFormatError {
        switch word.uppercased() {
        case "SUBQUERY", "CAST":
            return error(
                at: index, "'\(word)' is not followed by '('",
                "write \(word.uppercased())(…), or #\(word) for the key")
        default:
            return error(
                at: index, "'\(word)' is a reserved word", "write #\(word) if it is a key")
        }
    }
}
