/// One token of a format, in which arguments are already substituted.
struct Token {
    var kind: Kind
    /// The offset of the token's first byte.
    var offset: Int

    enum Kind {
        /// A key, a keyword or a function name; `upper` is the same word in upper case.
        case word(String, upper: String)
        /// `#word`, which is always a key.
        case escapedWord(String)
        /// `@word`, a collection operator.
        case operatorWord(String)
        /// The keys substituted for `%K`.
        case keys([String])
        case variable(String)
        /// A literal, or an argument substituted for `%@` or for a number specifier.
        case constant(Any?, isArgument: Bool)
        case symbol(Symbol)
        case end
    }

    enum Symbol: String {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case and = "&&"
        case or = "||"
        case not = "!"
        case assign = ":="
        case plus = "+"
        case minus = "-"
        case times = "*"
        case divide = "/"
        case power = "**"
        case bitAnd = "&"
        case bitOr = "|"
        case bitXor = "^"
        case bitNot = "~"
        case shiftLeft = "<<"
        case shiftRight = ">>"
        case dot = "."
        case comma = ","
        case open = "("
        case close = ")"
        case openBrace = "{"
        case closeBrace = "}"
        case openBracket = "["
        case closeBracket = "]"
    }
}

/// The keywords of the language. A key with the name of a keyword is written `#word`.
enum Keyword {
    static let reserved: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI",
        "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE",
        "YES", "FALSE", "NO", "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST",
        "TRUEPREDICATE", "FALSEPREDICATE", "UTI-CONFORMS-TO", "UTI-EQUALS",
    ]

    static let operators: [String: NSComparisonPredicate.Operator] = [
        "BETWEEN": .between, "IN": .in, "BEGINSWITH": .beginsWith, "CONTAINS": .contains,
        "ENDSWITH": .endsWith, "LIKE": .like, "MATCHES": .matches,
    ]

    static let symbolOperators: [Token.Symbol: NSComparisonPredicate.Operator] = [
        .equal: .equalTo, .notEqual: .notEqualTo, .less: .lessThan,
        .lessOrEqual: .lessThanOrEqualTo, .greater: .greaterThan,
        .greaterOrEqual: .greaterThanOrEqualTo,
    ]

    static let operatorAdvice =
        "write one of ==, !=, <, <=, >, >=, BETWEEN, IN, BEGINSWITH, CONTAINS, ENDSWITH, LIKE, "
        + "MATCHES"

    static let collectionOperators = [
        "@count", "@sum", "@avg", "@min", "@max", "@unionOfObjects", "@distinctUnionOfObjects",
        "@unionOfArrays", "@distinctUnionOfArrays", "@unionOfSets", "@distinctUnionOfSets",
    ]
}
