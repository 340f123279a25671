/// Parses the queries of the step language. A predicate is in Core Data's format and is not parsed
/// here. It ends at the next clause outside quotes.
extension StepParser {
    mutating func query() throws(LineFailure) -> Query {
        let entity = try name("the entity")
        return try clauses(of: entity)
    }

    mutating func clauses(of entity: Located<String>) throws(LineFailure) -> Query {
        var predicate: PredicateText?
        var sort: [SortKey] = []
        var limit: Int?
        var rest = Query(entity: entity)
        while true {
            if scanner.take("where") {
                predicate = try predicateText()
            } else if scanner.take("sort") {
                sort = try list { (self) throws(LineFailure) in try self.sortKey() }
            } else if scanner.take("limit") {
                limit = try wholeNumber(of: "limit")
            } else if scanner.take("offset") {
                rest.offset = try wholeNumber(of: "offset")
            } else if scanner.take("batch") {
                rest.batch = try wholeNumber(of: "batch")
            } else if scanner.take("prefetch") {
                rest.prefetch = try list { (self) throws(LineFailure) in
                    try self.name("the relationship")
                }
            } else if let flag = Query.Flag.allCases.first(where: { scanner.take($0.rawValue) }) {
                rest.flags.insert(flag)
            } else {
                var query = Query(entity: entity, predicate: predicate, sort: sort, limit: limit)
                query.offset = rest.offset
                query.batch = rest.batch
                query.prefetch = rest.prefetch
                query.flags = rest.flags
                return query
            }
        }
    }

    private mutating func sortKey() throws(LineFailure) -> SortKey {
        let first = try name("the sort key")
        let keys = [first] + (try keys())
        let isDescending = scanner.take("descending")
        if !isDescending { _ = scanner.take("ascending") }
        return SortKey(
            keyPath: Located(keys.map(\.value).joined(separator: "."), at: first.position),
            isAscending: !isDescending)
    }

    private mutating func wholeNumber(of clause: String) throws(LineFailure) -> Int {
        let start = scanner.position
        if case .integer(let number) = try scanner.next(), number > 0, number < 1_000_000_000 {
            return Int(number)
        }
        throw LineFailure(
            position: start, what: "the \(clause) is not a whole number above zero",
            instead: "write '\(clause) 1'")
    }

    private mutating func predicateText() throws(LineFailure) -> PredicateText {
        let place = scanner.position
        let (format, start) = scanner.take(to: endOfPredicate())
        if format.isEmpty {
            throw LineFailure(
                position: place, what: "the predicate is missing",
                instead: "write a condition such as name == \"x\"")
        }
        var text = PredicateText(
            format: format, variables: variables(in: format, at: start),
            collections: collections(in: format), origin: scanner.origin, offset: start)
        if let counter { text.constants[Self.counterName] = .integer(counter) }
        return text
    }

    /// The start of the next clause: `sort`, `limit`, `->` or `;`, outside quotes.
    private func endOfPredicate() -> Int {
        let scalars = scanner.scalars
        var quoted = QuotedText()
        for at in scalars.indices.dropFirst(scanner.offset) where !quoted.takes(scalars[at]) {
            if scalars[at] == ";" || startsClause(at) { return at }
        }
        return scalars.count
    }

    private func startsClause(_ at: Int) -> Bool {
        let scalars = scanner.scalars
        if scalars[at] == "-" { return at + 1 < scalars.count && scalars[at + 1] == ">" }
        guard at > 0, scalars[at - 1] == " " else { return false }
        return Self.clauses.contains { clause in
            let end = at + clause.count
            return end <= scalars.count && scalars[at..<end].elementsEqual(clause)
                && (end == scalars.count || scalars[end] == " " || scalars[end] == ";")
        }
    }

    private static let clauses =
        (["sort", "limit", "offset", "batch", "prefetch"] + Query.Flag.allCases.map(\.rawValue))
        .map { Array($0.unicodeScalars) }

    private func variables(in format: String, at start: Int) -> [Located<String>] {
        var found: [Located<String>] = []
        var quoted = QuotedText()
        let scalars = Array(format.unicodeScalars)
        for at in scalars.indices where !quoted.takes(scalars[at]) && scalars[at] == "$" {
            let name = scalars[(at + 1)...].prefix {
                $0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0)
            }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: name)
            if !name.isEmpty {
                found.append(Located(String(text), at: scanner.origin.position(of: start + at)))
            }
        }
        return found.filter { !subqueryVariables(of: scalars).contains($0.value) }
    }

    /// The names that follow `IN`. Each of them denotes a collection of objects.
    private func collections(in format: String) -> Set<String> {
        Set(format.matches(of: /(?i:\bin)\s+\$(\w+)/).map { String($0.1) })
    }

    /// The names that a SUBQUERY declares for its own condition: the first `$name` after each
    /// `SUBQUERY`.
    private func subqueryVariables(of scalars: [Unicode.Scalar]) -> Set<String> {
        let word = Array("SUBQUERY".unicodeScalars)
        var declared: Set<String> = []
        for start in scalars.indices.dropLast(word.count)
        where scalars[start..<start + word.count].elementsEqual(word) {
            guard let sign = scalars[start...].firstIndex(of: "$") else { continue }
            let name = scalars[(sign + 1)...].prefix { $0.properties.isAlphabetic || $0 == "_" }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: name)
            declared.insert(String(text))
        }
        return declared
    }
}
