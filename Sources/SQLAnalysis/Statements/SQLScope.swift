/// One SELECT, UPDATE or DELETE of a statement, with its tables and conditions.
struct SQLScope {
    struct Table: Hashable {
        var name: String
        var alias: String?

        /// Whether `name` is this table's alias or name, as used in query plans and columns.
        func isCalled(_ name: String) -> Bool { name == alias ?? self.name || name == self.name }
    }

    enum Order: Hashable {
        case column(StatementShape.Column)
        /// A string column with a collation other than BINARY.
        case collated(StatementShape.Column)
        case computed
    }

    private(set) var tables: [Table] = []
    private(set) var condition = SQLCondition.all([])
    private(set) var order: [Order] = []
    private var hasWhere = false

    /// Whether the statement has a condition that restricts the rows.
    var isConditional: Bool { hasWhere && condition != .all([]) }

    /// The maximum number of scopes, which no statement of Core Data exceeds.
    private static let countMax = 16

    /// The scope of the whole statement, and then those of the SELECTs in its brackets.
    static func all(of sql: [UInt8]) -> [SQLScope] {
        let words = SQLText.spelled(sql)[...]
        var scopes = [SQLScope(words)]
        for index in words.indices.dropLast() where scopes.count < countMax {
            guard words[index].token.isSymbol("("), words[index + 1].token.isKeyword("SELECT")
            else { continue }
            scopes.append(SQLScope(words[(index + 1)..<words.closing(index)]))
        }
        return scopes
    }

    private init(_ words: ArraySlice<SQLWord>) {
        var conditions: [SQLCondition] = []
        for (keyword, rest) in Self.clauses(words) {
            switch keyword {
            case "FROM", "JOIN", "UPDATE": tables += rest.elements.compactMap(Self.table)
            case "ON": conditions.append(SQLCondition(rest))
            case "WHERE":
                conditions.append(SQLCondition(rest))
                hasWhere = true
            case "ORDER": order = rest.dropFirst().elements.map(Self.order)
            default: break
            }
        }
        condition = SQLCondition.joined(conditions)
    }

    func table(of column: StatementShape.Column) -> Table? {
        guard let alias = column.alias else { return tables.count == 1 ? tables[0] : nil }
        return tables.first { $0.isCalled(alias) }
    }

    // MARK: Parts

    private static let keywords: Set<String> = [
        "SELECT", "FROM", "JOIN", "ON", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET",
        "UPDATE", "SET", "DELETE", "INSERT", "VALUES", "RETURNING", "UNION", "EXCEPT", "INTERSECT",
        "LEFT", "OUTER", "INNER", "CROSS", "NATURAL",
    ]

    private static func clauses(
        _ words: ArraySlice<SQLWord>
    ) -> [(keyword: String, rest: ArraySlice<SQLWord>)] {
        let places = words.outerPlaces.filter {
            keywords.contains(words[$0].token.word?.uppercased() ?? "")
        }
        let rests = words.parts(between: places).dropFirst()
        return zip(places, rests).map { (words[$0].token.word?.uppercased() ?? "", $1) }
    }

    private static func table(_ words: ArraySlice<SQLWord>) -> Table? {
        // Skips the words between UPDATE and the table, as in `UPDATE OR FAIL ZBOOK`.
        var words = words.first?.token.isKeyword("OR") == true ? words.dropFirst(2) : words
        guard let name = words.popFirst()?.token.word, words.first?.token.isSymbol("(") != true
        else { return nil }
        if words.first?.token.isKeyword("AS") == true { words.removeFirst() }
        return Table(name: name, alias: words.first?.token.word)
    }

    private static func order(_ words: ArraySlice<SQLWord>) -> Order {
        let isDescending = words.last?.token.isKeyword("DESC") == true
        let hasDirection = isDescending || words.last?.token.isKeyword("ASC") == true
        let (rest, collation) = (hasDirection ? words.dropLast() : words).collated
        guard var column = rest.column else { return .computed }
        column.isDescending = isDescending
        return collation == nil ? .column(column) : .collated(column)
    }
}
