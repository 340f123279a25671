/// The conditions of WHERE and ON, in the form that ``IndexRules`` needs. Comparisons that join
/// tables are left out, and so are those of the entity column.
indirect enum SQLCondition: Equatable {
    case all([SQLCondition])
    case any([SQLCondition])
    /// A comparison of a column with values, such as `=`, `<`, `IN`, `BETWEEN` or `IS NOT`.
    case comparison(StatementShape.Column, String)
    case unserved(Unserved)

    /// A test for which SQLite cannot use an index, so it tests every row.
    enum Unserved: Equatable {
        /// A search for a prefix, with the options of the predicate, such as `cd`.
        case prefix(StatementShape.Column, options: String)
        case search
        case negation
        /// A comparison such as `=` or `<` with the options of the predicate, such as `cd`.
        case collation(StatementShape.Column, options: String)
        /// A count or a sum of the objects at the end of a relationship, possibly with a filter.
        case aggregate(isFiltered: Bool)
        case computed
    }

    /// The conditions that must all hold.
    var terms: [SQLCondition] { if case .all(let terms) = self { terms } else { [self] } }

    /// The maximum depth of brackets, because each level is a recursive call. Deeper conditions are
    /// rare and are ignored.
    private static let depthMax = 64

    init(_ words: ArraySlice<SQLWord>) { self.init(words, depth: 0) }

    private init(_ words: ArraySlice<SQLWord>, depth: Int) {
        guard depth < Self.depthMax else {
            self = .unserved(.computed)
            return
        }
        let outer = words.outerPlaces
        let sides = Self.split(words, outer, at: "OR")
        let terms = sides.count > 1 ? [] : Self.split(words, outer, at: "AND")
        if sides.count > 1 {
            self = Self.either(sides.map { SQLCondition($0, depth: depth + 1) })
        } else if terms.count > 1 {
            self = Self.joined(terms.map { SQLCondition($0, depth: depth + 1) })
        } else if let inner = Self.inBrackets(words) {
            self.init(inner, depth: depth + 1)
        } else {
            self = Self.term(words)
        }
    }

    /// A conjunction of the conditions, without nested ones.
    static func joined(_ conditions: [SQLCondition]) -> SQLCondition {
        let terms = conditions.flatMap(\.terms)
        return terms.count == 1 ? terms[0] : .all(terms)
    }

    private static func either(_ conditions: [SQLCondition]) -> SQLCondition {
        .any(
            conditions.flatMap { side -> [SQLCondition] in
                if case .any(let sides) = side { sides } else { [side] }
            })
    }

    /// The parts between the outermost occurrences of a keyword. The AND of a BETWEEN does not
    /// separate parts.
    private static func split(
        _ words: ArraySlice<SQLWord>, _ outer: [Int], at keyword: String
    ) -> [ArraySlice<SQLWord>] {
        var places: [Int] = []
        var isBetween = false
        for place in outer {
            let token = words[place].token
            if token.isKeyword("BETWEEN") { isBetween = true }
            guard token.isKeyword(keyword) else { continue }
            if isBetween, keyword == "AND" { isBetween = false } else { places.append(place) }
        }
        return words.parts(between: places)
    }

    private static func inBrackets(_ words: ArraySlice<SQLWord>) -> ArraySlice<SQLWord>? {
        guard words.count > 2, words[words.startIndex].token.isSymbol("("),
            words.closing(words.startIndex) == words.endIndex - 1
        else { return nil }
        let inner = words.dropFirst().dropLast()
        return inner.first?.token.isKeyword("SELECT") == true ? nil : inner
    }

    // MARK: One test

    private static let symbols: Set<String> = ["=", "==", "<", ">", "<=", ">=", "<>", "!="]
    private static let signWords: Set<String> = ["IN", "IS", "LIKE", "BETWEEN", "GLOB", "NOT"]
    private static let served: Set<String> = [
        "=", "==", "IS", "IN", "<", ">", "<=", ">=", "BETWEEN", "IS NOT",
    ]

    private static func term(_ words: ArraySlice<SQLWord>) -> SQLCondition {
        guard let first = words.first?.token else { return .all([]) }
        if let search = search(words) { return .unserved(search) }
        if first.isKeyword("NOT") { return .unserved(.negation) }
        let outer = words.outerPlaces
        guard let start = outer.firstIndex(where: { isSign(words[$0].token) }) else {
            return words.holdsColumn ? .unserved(aggregate(words) ?? .computed) : .all([])
        }
        let signs = outer[start...].prefix { isSign(words[$0].token) }
        let sign = signs.map { words[$0].spelling.uppercased() }.joined(separator: " ")
        let left = words[..<outer[start]].collated
        let right = words[(outer[start] + signs.count)...].collated
        return comparison(
            left.words, sign, right.words, collation: left.collation ?? right.collation)
    }

    private static func isSign(_ token: SQLToken) -> Bool {
        if case .symbol(let symbol) = token { return symbols.contains(symbol) }
        return signWords.contains(token.word?.uppercased() ?? "")
    }

    private static func comparison(
        _ left: ArraySlice<SQLWord>, _ sign: String, _ right: ArraySlice<SQLWord>,
        collation: String?
    ) -> SQLCondition {
        guard let column = compared(left, right) else { return uncompared(left, right) }
        if column.name == "Z_ENT" { return .all([]) }
        if sign == "LIKE" || sign == "GLOB" { return .unserved(.search) }
        if let collation { return .unserved(.collation(column, options: options(of: collation))) }
        return served.contains(sign) ? .comparison(column, sign) : .unserved(.negation)
    }

    /// The column on one side of a comparison, if the other side contains no columns.
    private static func compared(
        _ left: ArraySlice<SQLWord>, _ right: ArraySlice<SQLWord>
    ) -> StatementShape.Column? {
        // The columns of an inner SELECT do not belong to this statement.
        let isSelect = right.dropFirst().first?.token.isKeyword("SELECT") == true
        if let column = left.column { return isSelect || !right.holdsColumn ? column : nil }
        return left.holdsColumn ? nil : right.column
    }

    private static func uncompared(
        _ left: ArraySlice<SQLWord>, _ right: ArraySlice<SQLWord>
    ) -> SQLCondition {
        if let one = left.column, let other = right.column, one.alias != other.alias {
            return .all([])
        }
        guard left.holdsColumn || right.holdsColumn else { return .all([]) }
        return .unserved(aggregate(left) ?? aggregate(right) ?? .computed)
    }

    private static func aggregate(_ words: ArraySlice<SQLWord>) -> Unserved? {
        let names: Set<String> = ["COUNT", "SUM", "TOTAL", "MIN", "MAX", "AVG"]
        let place = words.indices.dropLast().first { index in
            words[index].token.isKeyword("SELECT")
                && names.contains(words[index + 1].token.word?.uppercased() ?? "")
        }
        return place.map { start in
            .aggregate(
                isFiltered: words[start...].contains {
                    $0.token == .parameter || $0.token == .literal
                })
        }
    }

    // MARK: Texts

    /// Recognises `NSCoreDataStringSearch( t0.ZNAME, ?, 8, 0)` and similar tests; nil for any other
    /// test.
    private static func search(_ words: ArraySlice<SQLWord>) -> Unserved? {
        let names: Set<String> = ["NSCoreDataLike", "NSCoreDataMatches", "NSCoreDataStringSearch"]
        guard let name = words.first?.token.word, names.contains(name), words.count > 2 else {
            return nil
        }
        let open = words.startIndex + 1
        let arguments = words[(open + 1)..<max(open + 1, words.closing(open))].elements
        guard name == "NSCoreDataStringSearch", arguments.count > 2,
            let flags = arguments[2].first.flatMap({ Int($0.spelling) })
        else { return .search }
        let (isAnchored, isBackwards) = (flags & 8 != 0, flags & 4 != 0)
        guard isAnchored, !isBackwards, let column = arguments[0].column else { return .search }
        let options = (flags & 1 != 0 ? "c" : "") + (flags & 128 != 0 ? "d" : "")
        return .prefix(column, options: options)
    }

    private static func options(of collation: String) -> String {
        let name = collation.uppercased()
        return (name.contains("NOCASE") ? "c" : "") + (name.contains("NODIACRITIC") ? "d" : "")
    }
}
