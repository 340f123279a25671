/// The shape of a statement: its text without values, and the facts that this text contains.
struct StatementShape: Sendable, Equatable {
    /// The text with `?` in place of every value, and with shortened lists of values.
    let text: String
    /// `select`, `insert`, `update`, `delete`, `begin`, `commit`, `rollback` or `other`.
    let kind: String
    /// The table after the first FROM, INTO or UPDATE of the outer statement.
    let table: String?
    /// All tables of the statement, including the tables of inner statements.
    let tables: [String]
    /// The columns of `table` that a SELECT reads.
    let columns: [String]
    /// The conditions that compare a column, in order.
    let conditions: [Condition]
    let hasLimit: Bool
    let hasOffset: Bool
    let isCount: Bool
    let isGrouped: Bool
    /// Whether the statement reads rows by a bound list of keys, for a batch or a prefetch.
    let readsArray: Bool
    let hasWhere: Bool
    /// Whether a SELECT returns rows of objects, which begin with a constant 0 or with the entity.
    let givesObjects: Bool

    struct Column: Sendable, Hashable {
        var alias: String?
        var name: String
        var isDescending = false
    }

    struct Condition: Sendable, Hashable {
        var column: Column
        /// The operator, such as `=` or `IN`. `IN SELECT` if an inner SELECT follows. It begins
        /// with `NOT` inside `NOT ( … )`.
        var comparison: String
        var isInner = false

        /// Whether the primary key is compared with a list of keys in the text.
        var isListOfKeys: Bool { column.name == "Z_PK" && comparison == "IN" && !isInner }
    }

    /// Whether the statement reads one row by its primary key, as for a fault.
    var isByKey: Bool {
        kind == "select" && conditions.count == 1 && !readsArray && !isCount
            && conditions[0].column.name == "Z_PK" && conditions[0].comparison == "="
    }

    /// Whether a part of the text is omitted, as in `SELECT 0, t0.Z_PK, ... FROM`.
    let hasGap: Bool

    var isKeysOnly: Bool {
        !columns.isEmpty && !hasGap && columns.allSatisfy { $0 == "Z_PK" || $0 == "Z_ENT" }
    }

    /// Whether every condition is an equality, as in a fetch of a relationship.
    var isByValue: Bool {
        !conditions.isEmpty && !readsArray
            && conditions.allSatisfy { ["=", "=="].contains($0.comparison) }
    }

    var isWrite: Bool { ["insert", "update", "delete"].contains(kind) }

    /// Whether the statement may belong to a prefetch, because it reads rows for a list of objects.
    var mayPrefetch: Bool {
        kind == "select"
            && (readsArray || conditions.contains { $0.comparison == "IN" && !$0.isInner })
    }

    /// Whether the text contains a list of keys, which limits the number of rows.
    var isOfList: Bool {
        conditions.contains(where: \.isListOfKeys) && !text.contains("_Z_intarray")
    }

    /// Whether the statement concerns the store's metadata: primary keys, the model or the schema.
    var isHousekeeping: Bool {
        guard let table = table?.uppercased() else { return false }
        return Self.bookTables.contains(table) || table.hasPrefix("SQLITE_")
    }

    var isHistory: Bool {
        guard let table = table?.uppercased() else { return false }
        return table == "ACHANGE" || table.hasPrefix("ATRANSACTION")
    }

    private static let bookTables: Set<String> = [
        "Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY",
    ]

    init(_ sql: [UInt8]) {
        let tokens = SQLText.tokens(of: sql)
        var reader = ShapeReader(tokens: tokens)
        reader.read()
        text = ShapeText.write(tokens)
        kind = reader.kind
        table = reader.table ?? reader.tables.first
        tables = reader.tables
        columns = reader.columns.filter { $0.alias == nil || $0.alias == reader.alias }.map(\.name)
        conditions = reader.conditions
        hasLimit = reader.words.contains("LIMIT")
        hasOffset = reader.words.contains("OFFSET")
        isGrouped = reader.words.contains("GROUP")
        isCount = !isGrouped && reader.asksForCount
        readsArray =
            reader.words.contains { $0.hasPrefix("_Z_INTARRAY") }
            || reader.conditions.contains(where: \.isListOfKeys)
        givesObjects = reader.givesObjects
        hasGap = reader.hasGap
        hasWhere = reader.words.contains("WHERE")
    }
}

/// Reads the tokens of a statement, and records its tables, columns and conditions.
private struct ShapeReader {
    let tokens: [SQLToken]
    var kind = "other"
    /// The table of the outer statement. Those of inner statements are only in `tables`.
    var table: String?
    var tables: [String] = []
    var alias: String?
    var columns: [StatementShape.Column] = []
    var conditions: [StatementShape.Condition] = []
    var words: Set<String> = []

    /// Whether the statement begins with `SELECT COUNT(…) FROM` and selects no other column.
    var asksForCount: Bool {
        guard tokens.count > 3, tokens[0].isKeyword("SELECT"), tokens[1].isKeyword("COUNT"),
            tokens[2].isSymbol("(")
        else { return false }
        var depth = 0
        for index in 2..<tokens.count {
            if tokens[index].isSymbol("(") { depth += 1 }
            if tokens[index].isSymbol(")") { depth -= 1 }
            guard depth == 0 else { continue }
            return index + 1 < tokens.count && tokens[index + 1].isKeyword("FROM")
        }
        return false
    }

    /// Recognises `SELECT 0, t0.Z_PK …`, or `SELECT t0.Z_ENT, t0.Z_PK …` for an entity with
    /// subentities.
    var givesObjects: Bool {
        guard tokens.count > 2, tokens[0].isKeyword("SELECT") else { return false }
        let first = tokens[1].isKeyword("DISTINCT") ? 2 : 1
        if case .constant = tokens[first] { return true }
        return columns.first?.name == "Z_ENT"
    }

    /// Recognises three dots or an ellipsis character where a column could be.
    var hasGap: Bool {
        tokens.contains(.word("\u{2026}"))
            || tokens.indices.dropLast(2).contains { index in
                tokens[index...].prefix(3).allSatisfy { $0.isSymbol(".") }
            }
    }

    private enum Part { case head, from, condition, rest }

    /// The clause that contains the current token.
    private struct Place {
        var part = Part.head
        var isInner = false
        var isNegated = false
    }

    init(tokens: [SQLToken]) { self.tokens = tokens }

    mutating func read() {
        words = Set(tokens.compactMap { $0.word?.uppercased() })
        let kinds: Set<String> = ["SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT"]
        switch tokens.first?.word?.uppercased() {
        case let first? where kinds.contains(first): kind = first.lowercased()
        case "ROLLBACK": kind = "rollback"
        default: return
        }
        var place = Place()
        // The clauses around the open brackets, the outermost first.
        var outer: [Place] = []
        var index = 0
        while index < tokens.count {
            if tokens[index].isSymbol("(") {
                outer.append(place)
                place = inside(place, at: index)
                index += 1
            } else if tokens[index].isSymbol(")") {
                place = outer.popLast() ?? place
                index += 1
            } else if let next = part(at: index) {
                place.part = next
                if next == .from { readTable(after: index, place) }
                index += 1
            } else {
                index = read(place, at: index)
            }
        }
    }

    private func inside(_ place: Place, at index: Int) -> Place {
        var place = place
        if index > 0, tokens[index - 1].isKeyword("NOT") { place.isNegated.toggle() }
        if index + 1 < tokens.count, tokens[index + 1].isKeyword("SELECT") {
            place.isInner = true
            place.part = .head
        }
        return place
    }

    private func part(at index: Int) -> Part? {
        switch tokens[index].word?.uppercased() {
        case "FROM", "INTO", "JOIN", "UPDATE": .from
        case "WHERE", "ON", "HAVING": .condition
        case "ORDER", "LIMIT", "GROUP", "VALUES", "SET", "RETURNING", "OFFSET": .rest
        default: nil
        }
    }

    private mutating func readTable(after index: Int, _ place: Place) {
        var index = index
        // Skips the words in `UPDATE OR FAIL ZBOOK`.
        if index + 2 < tokens.count, tokens[index + 1].isKeyword("OR") { index += 2 }
        guard index + 1 < tokens.count, let name = tokens[index + 1].word else { return }
        // The table function with the keys of a batch is not a table.
        let isArray = name.uppercased().hasPrefix("_Z_INTARRAY")
        guard !isArray, !SQLText.isKeyword(name) else { return }
        if !tables.contains(name) { tables.append(name) }
        guard table == nil, !place.isInner else { return }
        table = name
        var next = index + 2
        if next < tokens.count, tokens[next].isKeyword("AS") { next += 1 }
        if next < tokens.count, let word = tokens[next].word, !SQLText.isKeyword(word) {
            alias = word
        }
    }

    private mutating func read(_ place: Place, at index: Int) -> Int {
        if place.part == .from, tokens[index].isSymbol(",") { readTable(after: index, place) }
        guard let (column, end) = column(at: index) else { return index + 1 }
        switch place.part {
        case .head where kind == "select" && !place.isInner: columns.append(column)
        case .condition:
            if let comparison = comparison(at: end) {
                conditions.append(
                    .init(
                        column: column, comparison: (place.isNegated ? "NOT " : "") + comparison,
                        isInner: place.isInner))
            }
        default: break
        }
        return end
    }

    /// Reads a column: `t0.ZNAME` or `ZNAME`.
    private func column(at index: Int) -> (StatementShape.Column, Int)? {
        guard let word = tokens[index].word else { return nil }
        if index + 2 < tokens.count, tokens[index + 1].isSymbol("."),
            let name = tokens[index + 2].word
        {
            return (StatementShape.Column(alias: word, name: name.uppercased()), index + 3)
        }
        guard word.uppercased().hasPrefix("Z"), !SQLText.isKeyword(word),
            !(index + 1 < tokens.count && tokens[index + 1].isSymbol("("))
        else { return nil }
        return (StatementShape.Column(alias: nil, name: word.uppercased()), index + 1)
    }

    /// Reads a comparison with a value. Nil for a comparison of two columns, which joins tables.
    private func comparison(at index: Int) -> String? {
        var index = index
        var words: [String] = []
        let compared: Set<String> = ["IN", "IS", "LIKE", "BETWEEN", "NOT", "GLOB"]
        while index < tokens.count {
            switch tokens[index] {
            case .symbol(let symbol)
            where ["=", "==", "<", ">", "<=", ">=", "<>", "!="].contains(symbol):
                words.append(symbol)
            case .word(let word) where compared.contains(word.uppercased()):
                words.append(word.uppercased())
            default:
                guard !words.isEmpty else { return nil }
                if index + 1 < tokens.count, tokens[index].isSymbol("("),
                    tokens[index + 1].isKeyword("SELECT")
                {
                    words.append("SELECT")
                }
                let isColumn = tokens[index].word.map { !SQLText.isKeyword($0) } ?? false
                return isColumn ? nil : words.joined(separator: " ")
            }
            index += 1
        }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}
