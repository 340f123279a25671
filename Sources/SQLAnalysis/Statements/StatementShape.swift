/// A statement without its values.
///
/// The log's assembly makes one for each different text.
struct StatementShape: Sendable, Equatable {
    /// The text with `?` for every value; lists of values shortened.
    let text: String
    /// `select`, `insert`, `update`, `delete`, `begin`, `commit`, `rollback` or `other`.
    let kind: String
    /// The table of the first FROM, INTO or UPDATE.
    let table: String?
    /// What the table is called in the statement.
    let alias: String?
    /// The columns of that table that a SELECT asks for.
    let columns: [String]
    /// Columns that a condition compares, with the names of their tables; in order.
    let conditions: [Condition]
    /// Columns of ORDER BY.
    let order: [Column]
    let hasLimit: Bool
    let isCount: Bool
    let isGrouped: Bool
    /// Whether keys come from a bound array: a batch or a prefetch.
    let readsArray: Bool
    let hasWhere: Bool

    struct Column: Sendable, Hashable {
        var alias: String?
        var name: String
    }

    struct Condition: Sendable, Hashable {
        var column: Column
        /// `=`, `<`, `IN` and the like.
        var comparison: String
    }

    /// Whether it reads one row by its key, as firing a fault does.
    var isByKey: Bool {
        kind == "select" && conditions.count == 1 && !readsArray && !isCount
            && conditions[0].column.name == "Z_PK" && conditions[0].comparison == "="
    }

    /// Whether it gives keys and leaves the values for later.
    var isKeysOnly: Bool {
        !columns.isEmpty && columns.allSatisfy { $0 == "Z_PK" || $0 == "Z_ENT" }
    }

    /// Whether every condition asks for one value, as the fetch of a relationship does.
    var isByValue: Bool {
        !conditions.isEmpty && !readsArray
            && conditions.allSatisfy { ["=", "=="].contains($0.comparison) }
    }

    var isWrite: Bool { ["insert", "update", "delete"].contains(kind) }

    init(_ sql: String) {
        let tokens = SQLText.tokens(of: sql)
        var reader = ShapeReader(tokens: tokens)
        reader.read()
        text = ShapeText.write(tokens)
        kind = reader.kind
        table = reader.table
        alias = reader.alias
        columns = reader.columns.filter { $0.alias == nil || $0.alias == reader.alias }.map(\.name)
        conditions = reader.conditions
        order = reader.order
        hasLimit = reader.words.contains("LIMIT")
        isCount = reader.words.contains("COUNT")
        isGrouped = reader.words.contains("GROUP")
        readsArray = reader.words.contains { $0.hasPrefix("_Z_INTARRAY") }
        hasWhere = reader.words.contains("WHERE")
    }
}

/// Walks the words of one statement and notes what each part names.
private struct ShapeReader {
    let tokens: [SQLToken]
    var kind = "other"
    var table: String?
    var alias: String?
    var columns: [StatementShape.Column] = []
    var conditions: [StatementShape.Condition] = []
    var order: [StatementShape.Column] = []
    var words: Set<String> = []

    private enum Part { case head, from, condition, order, rest }

    init(tokens: [SQLToken]) { self.tokens = tokens }

    mutating func read() {
        words = Set(tokens.compactMap { $0.word?.uppercased() })
        let kinds: Set<String> = ["SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT"]
        switch tokens.first?.word?.uppercased() {
        case let first? where kinds.contains(first): kind = first.lowercased()
        case "ROLLBACK": kind = "rollback"
        default: return
        }
        var part = Part.head
        var index = 0
        while index < tokens.count {
            if let next = self.part(at: index) {
                part = next
                if next == .from { readTable(after: index) }
                index += 1
            } else {
                index = read(part, at: index)
            }
        }
    }

    private func part(at index: Int) -> Part? {
        switch tokens[index].word?.uppercased() {
        case "FROM", "INTO", "JOIN", "UPDATE": .from
        case "WHERE", "ON", "HAVING": .condition
        case "ORDER": .order
        case "LIMIT", "GROUP", "VALUES", "SET", "RETURNING", "OFFSET": .rest
        default: nil
        }
    }

    private mutating func readTable(after index: Int) {
        guard index + 1 < tokens.count, let name = tokens[index + 1].word else { return }
        // A table function with the keys of a batch stands before the table that it is for.
        let isArray = name.uppercased().hasPrefix("_Z_INTARRAY")
        guard table == nil, !isArray, !SQLText.isKeyword(name) else { return }
        table = name
        var next = index + 2
        if next < tokens.count, tokens[next].isKeyword("AS") { next += 1 }
        if next < tokens.count, let word = tokens[next].word, !SQLText.isKeyword(word) {
            alias = word
        }
    }

    /// Reads what stands here; gives the place after it.
    private mutating func read(_ part: Part, at index: Int) -> Int {
        guard let (column, end) = column(at: index) else { return index + 1 }
        switch part {
        case .head where kind == "select": columns.append(column)
        case .order: order.append(column)
        case .condition:
            if let comparison = comparison(at: end) {
                conditions.append(.init(column: column, comparison: comparison))
            }
        default: break
        }
        return end
    }

    /// `t0.ZNAME`, or `ZNAME`.
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

    /// The comparison with a value that stands here; columns that meet columns are joins.
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
                let isColumn = tokens[index].word.map { !SQLText.isKeyword($0) } ?? false
                return isColumn ? nil : words.joined(separator: " ")
            }
            index += 1
        }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}
