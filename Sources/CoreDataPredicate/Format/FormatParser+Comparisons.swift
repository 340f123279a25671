import Foundation

extension FormatParser {
    /// Parses `[ANY] left operator[options] right`, or only a value.
    mutating func comparison() throws(PredicateFormatError) -> Item {
        let start = index
        let quantifier = try takeQuantifier()
        let leftStart = index
        let leftItem = try bits()
        guard let type = comparisonOperator(at: index) else {
            guard quantifier == nil else {
                try refuseUnknownOperator()
                let word = text(of: start)
                throw error(
                    at: start, "\(word) is not followed by a comparison",
                    "write \(word) items.price > 10")
            }
            return leftItem
        }
        let left = try asExpression(leftItem, at: leftStart)
        let operatorIndex = index
        index += 1
        let options = try takeOptions()
        let rightStart = index
        let right = try asExpression(try bits(), at: rightStart)
        try check(type, right, operatorIndex: operatorIndex, rightStart: rightStart)
        let predicate = NSComparisonPredicate(
            comparison: Comparison(
                left: left, right: right, operator: type,
                modifier: quantifier?.modifier ?? .direct, options: options))
        return .predicate(
            quantifier?.isNegated == true ? NSCompoundPredicate(.not, [predicate]) : predicate)
    }

    private struct Quantifier {
        let modifier: NSComparisonPredicate.Modifier
        let isNegated: Bool
    }

    private mutating func takeQuantifier() throws(PredicateFormatError) -> Quantifier? {
        guard case .word(let word, let upper) = tokens[index].kind else { return nil }
        let found: Quantifier
        switch upper {
        case "ANY", "SOME": found = Quantifier(modifier: .any, isNegated: false)
        case "ALL": found = Quantifier(modifier: .all, isNegated: false)
        case "NONE": found = Quantifier(modifier: .any, isNegated: true)
        default: return nil
        }
        guard !isSymbol(.dot, at: index + 1), comparisonOperator(at: index + 1) == nil else {
            throw error(at: index, "'\(word)' is a reserved word", "write #\(word) if it is a key")
        }
        index += 1
        return found
    }

    func comparisonOperator(at index: Int) -> NSComparisonPredicate.Operator? {
        switch tokens[index].kind {
        case .symbol(let symbol): Keyword.symbolOperators[symbol]
        case .word(_, let upper): Keyword.operators[upper]
        default: nil
        }
    }

    private mutating func takeOptions() throws(PredicateFormatError)
        -> NSComparisonPredicate.Options
    {
        guard isSymbol(.openBracket) else { return [] }
        let advice = "write [c], [d], [cd], [n] or [l]"
        index += 1
        guard case .word(let word, _) = tokens[index].kind else {
            throw error(at: index, "expected options and found '\(text(of: index))'", advice)
        }
        var options: NSComparisonPredicate.Options = []
        for letter in word.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "l": options.insert(.localeSensitive)
            default: throw error(at: index, "'\(word)' is not an option", advice)
            }
        }
        index += 1
        try take(.closeBracket, advice)
        return options
    }

    private func check(
        _ type: NSComparisonPredicate.Operator, _ right: NSExpression, operatorIndex: Int,
        rightStart: Int
    ) throws(PredicateFormatError) {
        guard type == .between else { return }
        let advice = "write BETWEEN {low, high}"
        switch right.node {
        case .aggregate(let bounds) where bounds.count != 2:
            throw error(
                at: rightStart, "BETWEEN has \(bounds.count) bounds instead of two", advice)
        case .constant:
            guard case .collection(let bounds)? = right.constantOperand else {
                throw error(at: rightStart, "BETWEEN needs two bounds on its right", advice)
            }
            guard bounds.elements.count == 2 else {
                throw error(
                    at: rightStart, "BETWEEN has \(bounds.elements.count) bounds instead of two",
                    advice)
            }
        default: break
        }
    }

    // MARK: Bits

    /// The bit operators with their functions, by increasing precedence, as in C.
    private static let bitLevels: [[(symbol: Token.Symbol, function: String)]] = [
        [(.bitOr, "bitwiseOr:with:")], [(.bitXor, "bitwiseXor:with:")],
        [(.bitAnd, "bitwiseAnd:with:")],
        [(.shiftLeft, "leftshift:by:"), (.shiftRight, "rightshift:by:")],
    ]

    private mutating func bits(level: Int = 0) throws(PredicateFormatError) -> Item {
        guard level < Self.bitLevels.count else { return try sum() }
        let start = index
        var item = try bits(level: level + 1)
        var count = 0
        while let name = Self.bitLevels[level].first(where: { isSymbol($0.symbol) })?.function {
            let left = try asExpression(item, at: start)
            index += 1
            let rightStart = index
            let right = try asExpression(try bits(level: level + 1), at: rightStart)
            item = .expression(NSExpression(node: .function(name, [left, right])))
            count += 1
            try checkChain(count)
        }
        return item
    }

    // MARK: Arithmetic

    private mutating func sum() throws(PredicateFormatError) -> Item {
        let start = index
        var item = try product()
        var count = 0
        while let operation = sumOperation() {
            let left = try asExpression(item, at: start)
            index += 1
            let rightStart = index
            let right = try asExpression(try product(), at: rightStart)
            switch operation {
            case .function(let name):
                item = .expression(NSExpression(node: .function(name, [left, right])))
            case .set(let set):
                item = .expression(NSExpression(node: .set(set, left, right)))
            }
            count += 1
            try checkChain(count)
        }
        return item
    }

    private enum SumOperation {
        case function(String)
        case set(ExpressionNode.SetOperation)
    }

    private func sumOperation() -> SumOperation? {
        switch tokens[index].kind {
        case .symbol(.plus): .function("add:to:")
        case .symbol(.minus): .function("from:subtract:")
        case .word(_, let upper): ExpressionNode.SetOperation(rawValue: upper).map { .set($0) }
        default: nil
        }
    }

    private mutating func product() throws(PredicateFormatError) -> Item {
        let start = index
        var item = try signed()
        var count = 0
        while isSymbol(.times) || isSymbol(.divide) {
            let name = isSymbol(.times) ? "multiply:by:" : "divide:by:"
            let left = try asExpression(item, at: start)
            index += 1
            let rightStart = index
            let right = try asExpression(try signed(), at: rightStart)
            item = .expression(NSExpression(node: .function(name, [left, right])))
            count += 1
            try checkChain(count)
        }
        return item
    }

    private mutating func signed() throws(PredicateFormatError) -> Item {
        let isComplement = isSymbol(.bitNot)
        guard isComplement || isSymbol(.minus) else { return try power() }
        depth += 1
        defer { depth -= 1 }
        try checkDepth()
        index += 1
        let start = index
        let value = try asExpression(try signed(), at: start)
        if isComplement {
            return .expression(NSExpression(node: .function("onesComplement:", [value])))
        }
        if index == start + 1, let negated = Self.negated(value) { return .expression(negated) }
        let zero = NSExpression(forConstantValue: 0)
        return .expression(NSExpression(node: .function("from:subtract:", [zero, value])))
    }

    private static func negated(_ value: NSExpression) -> NSExpression? {
        guard case .constant(let constant) = value.node else { return nil }
        switch constant {
        case let integer as Int where integer == .min:
            return NSExpression(forConstantValue: -Decimal(integer))
        case let integer as Int: return NSExpression(forConstantValue: -integer)
        case let double as Double: return NSExpression(forConstantValue: -double)
        case let decimal as Decimal:
            // Only the smallest integer has digits that are out of range without the sign.
            let negated = -decimal
            return NSExpression(forConstantValue: Int("\(negated)") ?? negated)
        default: return nil
        }
    }

    private mutating func power() throws(PredicateFormatError) -> Item {
        let start = index
        let base = try postfix()
        guard isSymbol(.power) else { return base }
        depth += 1
        defer { depth -= 1 }
        try checkDepth()
        let left = try asExpression(base, at: start)
        index += 1
        let rightStart = index
        let right = try asExpression(try signed(), at: rightStart)
        return .expression(NSExpression(node: .function("raise:toPower:", [left, right])))
    }

    private func checkChain(_ count: Int) throws(PredicateFormatError) {
        guard count < Self.chainMax else {
            throw error(
                at: index, "more than \(Self.chainMax) values are joined by operators",
                "write sum({…}) or shorten the expression")
        }
    }
}
