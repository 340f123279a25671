import Foundation

/// Parses calls: built-in functions, CAST, FUNCTION, SUBQUERY and TERNARY.
extension FormatParser {
    mutating func call(
        _ word: String, _ upper: String, at start: Int
    ) throws(PredicateFormatError) -> NSExpression {
        switch upper {
        case "SUBQUERY": return try subquery()
        case "TERNARY": return try conditional()
        case "CAST": return try cast(start)
        case "FUNCTION": return try selectorCall(start)
        case "FETCH":
            let arguments = try callArguments()
            guard arguments.count == 3 else {
                throw error(
                    at: start, "FETCH takes 3 arguments, not \(arguments.count)",
                    "write FETCH(%@, %@, NO) with a fetch request and a context")
            }
            return NSExpression(node: .function(BuiltinFunction.fetchName, arguments))
        case _ where Keyword.reserved.contains(upper) && upper != "FIRST" && upper != "LAST":
            throw error(
                at: start, "expected a value and found '\(word)'",
                "write a key path, a literal or an argument before it")
        default:
            return try builtin(word, start)
        }
    }

    private mutating func builtin(
        _ name: String, _ start: Int
    ) throws(PredicateFormatError) -> NSExpression {
        let arguments = try callArguments()
        do throws(BuiltinFunction.CallError) {
            return NSExpression(node: try BuiltinFunction.call(name, arguments))
        } catch {
            throw self.error(at: start, error.problem, error.advice)
        }
    }

    private mutating func callArguments() throws(PredicateFormatError) -> [NSExpression] {
        index += 1
        var arguments: [NSExpression] = []
        while !isSymbol(.close) {
            let start = index
            arguments.append(try asExpression(try disjunction(), at: start))
            guard isSymbol(.comma) else { break }
            index += 1
        }
        try take(.close, "write a comma between the arguments and ')' at the end")
        return arguments
    }

    private mutating func subquery() throws(PredicateFormatError) -> NSExpression {
        let advice = "write SUBQUERY(items, $x, $x.price > 10)"
        index += 1
        let start = index
        let collection = try asExpression(try disjunction(), at: start)
        try take(.comma, advice)
        let name: String
        switch tokens[index].kind {
        case .variable(let found): name = found
        case .constant(let value as String, _) where value.hasPrefix("$"):
            name = String(value.dropFirst())
        default:
            throw error(at: index, "the iterator of SUBQUERY is not a variable", advice)
        }
        index += 1
        try take(.comma, advice)
        let predicateStart = index
        let item = try disjunction()
        let predicate = try asPredicate(item, at: predicateStart)
        try take(.close, advice)
        return NSExpression(
            node: .subquery(collection: collection, variable: name, predicate: predicate))
    }

    private mutating func conditional() throws(PredicateFormatError) -> NSExpression {
        let advice = "write TERNARY(a > b, a, b)"
        index += 1
        let start = index
        let item = try disjunction()
        let predicate = try asPredicate(item, at: start)
        try take(.comma, advice)
        let trueStart = index
        let trueValue = try asExpression(try disjunction(), at: trueStart)
        try take(.comma, advice)
        let falseStart = index
        let falseValue = try asExpression(try disjunction(), at: falseStart)
        try take(.close, advice)
        return NSExpression(node: .conditional(predicate, trueValue, falseValue))
    }

    private mutating func cast(_ start: Int) throws(PredicateFormatError) -> NSExpression {
        let arguments = try callArguments()
        let types = CastType.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let advice = "write CAST(value, type) with one of the types \(types)"
        guard arguments.count == 2, case .constant(let type as String) = arguments[1].node else {
            throw error(at: start, "CAST needs a value and the name of a type", advice)
        }
        guard let type = CastType(rawValue: type) else {
            throw error(at: start, "'\(type)' is not a type for CAST", advice)
        }
        if case .constant(let value) = arguments[0].node,
            let constant = type.foldedLiteral(value)
        {
            return NSExpression(forConstantValue: constant)
        }
        return NSExpression(node: .function("castObject:toType:", arguments))
    }

    private mutating func selectorCall(_ start: Int) throws(PredicateFormatError) -> NSExpression {
        let arguments = try callArguments()
        guard arguments.count >= 2, case .constant(let name as String) = arguments[1].node else {
            throw error(
                at: start, "FUNCTION needs a target and the name of a method",
                "write FUNCTION(date, 'dateByAddingTimeInterval:', 60)")
        }
        return NSExpression(
            node: .selector(
                target: arguments[0], name: name, arguments: Array(arguments.dropFirst(2))))
    }
}
