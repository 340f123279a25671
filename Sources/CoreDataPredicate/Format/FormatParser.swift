import Foundation

/// Parses one format.
///
/// Precedence from loose to tight: OR, AND, NOT, comparisons, `|`, `^`, `&`, `<< >>`, `+ -` and set
/// operations, `* /`, unary minus and `~`, `**`, then paths and indexes.
struct FormatParser {
    /// A parsed part of a format. Only its end shows whether it is a predicate or an expression.
    enum Item {
        case predicate(NSPredicate)
        case expression(NSExpression)
    }

    /// The maximum nesting of a format, so that no input can exhaust the stack.
    static let depthMax = 64
    /// The maximum number of arithmetic operators in a chain, which becomes a deep tree.
    static let chainMax = 200

    let format: String
    let tokens: [Token]
    var index = 0
    var depth = 0

    init(_ format: String, _ arguments: [Any?]) throws(PredicateFormatError) {
        self.format = format
        var lexer = Lexer(format, arguments)
        tokens = try lexer.run()
    }

    mutating func predicate() throws(PredicateFormatError) -> NSPredicate {
        guard tokens.count > 1 else {
            throw error(at: 0, "the format is empty", "write TRUEPREDICATE to match everything")
        }
        let item = try disjunction()
        try requireEnd()
        return try asPredicate(item, at: 0)
    }

    mutating func expression() throws(PredicateFormatError) -> NSExpression {
        guard tokens.count > 1 else {
            throw error(at: 0, "the format is empty", "write a key path or another expression")
        }
        let item = try disjunction()
        try requireEnd()
        return try asExpression(item, at: 0)
    }

    // MARK: Compounds

    mutating func disjunction() throws(PredicateFormatError) -> Item {
        depth += 1
        defer { depth -= 1 }
        try checkDepth()
        return try chain(.or, "OR", .or) { parser throws(PredicateFormatError) in
            try parser.conjunction()
        }
    }

    private mutating func conjunction() throws(PredicateFormatError) -> Item {
        try chain(.and, "AND", .and) { parser throws(PredicateFormatError) in
            try parser.negation()
        }
    }

    private mutating func chain(
        _ type: NSCompoundPredicate.LogicalType, _ word: String, _ symbol: Token.Symbol,
        _ part: (inout FormatParser) throws(PredicateFormatError) -> Item
    ) throws(PredicateFormatError) -> Item {
        let start = index
        let first = try part(&self)
        guard isWord(word) || isSymbol(symbol) else { return first }
        var parts = [try asPredicate(first, at: start)]
        while isWord(word) || isSymbol(symbol) {
            index += 1
            let start = index
            let next = try part(&self)
            parts.append(try asPredicate(next, at: start))
        }
        return .predicate(NSCompoundPredicate(type, parts))
    }

    private mutating func negation() throws(PredicateFormatError) -> Item {
        guard isWord("NOT") || isSymbol(.not) else { return try comparison() }
        depth += 1
        defer { depth -= 1 }
        try checkDepth()
        index += 1
        let start = index
        let part = try negation()
        return .predicate(NSCompoundPredicate(.not, [try asPredicate(part, at: start)]))
    }

    // MARK: The kind of an item

    func asPredicate(_ item: Item, at start: Int) throws(PredicateFormatError) -> NSPredicate {
        switch item {
        case .predicate(let predicate): return predicate
        case .expression(let expression):
            try refuseUnknownOperator()
            let text = TreePrinter.text(of: expression)
            if isArgument(start), case .constant = expression.node {
                throw error(
                    at: start, "an argument cannot replace a whole predicate",
                    "join predicates with NSCompoundPredicate")
            }
            throw error(
                at: start, "'\(text)' is a value, not a condition",
                "compare it with something, as in \(text) == YES")
        }
    }

    func asExpression(_ item: Item, at start: Int) throws(PredicateFormatError) -> NSExpression {
        switch item {
        case .expression(let expression): return expression
        case .predicate:
            throw error(
                at: start, "expected a value and found a condition",
                "write a value, or TERNARY(condition, a, b) to choose between two")
        }
    }

    private func requireEnd() throws(PredicateFormatError) {
        if case .end = tokens[index].kind { return }
        try refuseUnknownOperator()
        let text = self.text(of: index)
        if case .symbol(.close) = tokens[index].kind {
            throw error(at: index, "')' has no matching '('", "remove it or write '(' before")
        }
        if comparisonOperator(at: index) != nil {
            throw error(
                at: index, "'\(text)' follows a finished comparison",
                "write two comparisons with AND between them, or BETWEEN {low, high}")
        }
        throw error(
            at: index, "'\(text)' follows a finished predicate",
            "write AND or OR between two comparisons, and quotes around text")
    }

    func refuseUnknownOperator() throws(PredicateFormatError) {
        guard case .word(let word, let upper) = tokens[index].kind else { return }
        switch upper {
        case "AND", "OR": return
        case "NOT":
            throw error(
                at: index, "'\(word)' is not allowed inside a comparison",
                "write NOT before the left side, as in NOT (a IN {1, 2})")
        case "UTI-CONFORMS-TO", "UTI-EQUALS":
            throw error(
                at: index, "'\(word)' needs Apple's type database",
                "compare the identifiers with == or BEGINSWITH")
        case "IS":
            throw error(at: index, "'\(word)' is not an operator", "write == NIL or != NIL")
        default:
            throw error(at: index, "'\(word)' is not an operator", Keyword.operatorAdvice)
        }
    }

    // MARK: Tokens

    func isWord(_ keyword: String) -> Bool {
        guard case .word(_, let upper) = tokens[index].kind else { return false }
        return upper == keyword
    }

    func isSymbol(_ symbol: Token.Symbol) -> Bool { isSymbol(symbol, at: index) }

    func isSymbol(_ symbol: Token.Symbol, at index: Int) -> Bool {
        guard index < tokens.count, case .symbol(let found) = tokens[index].kind else {
            return false
        }
        return found == symbol
    }

    private func isArgument(_ index: Int) -> Bool {
        if case .constant(_, isArgument: true) = tokens[index].kind { return true }
        return false
    }

    mutating func take(_ symbol: Token.Symbol, _ advice: String) throws(PredicateFormatError) {
        guard isSymbol(symbol) else {
            let found = text(of: index)
            let shown = found.isEmpty ? "the end" : "'\(found)'"
            throw error(
                at: index, "expected '\(symbol.rawValue)' and found \(shown)",
                advice)
        }
        index += 1
    }

    /// - Parameter levels: the number of levels that will be added to the current one.
    func checkDepth(below levels: Int = 0) throws(PredicateFormatError) {
        guard depth + levels <= Self.depthMax else {
            throw error(
                at: index, "the format is nested more than \(Self.depthMax) levels deep",
                "build the predicate with NSCompoundPredicate, or use IN")
        }
    }

    func text(of index: Int) -> String {
        guard index + 1 < tokens.count else { return "" }
        let range = tokens[index].offset..<tokens[index + 1].offset
        let bytes = format.utf8.dropFirst(range.lowerBound).prefix(range.count)
        return String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func error(at index: Int, _ problem: String, _ advice: String) -> PredicateFormatError {
        PredicateFormatError(
            column: Lexer.column(of: tokens[index].offset, in: format), problem: problem,
            advice: advice)
    }
}
