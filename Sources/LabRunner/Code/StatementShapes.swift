import CoreDataModel

/// The tables that a statement names.
struct StatementShape {
    /// The indices of the root entities whose tables the statement names.
    var roots: [Int] = []
    /// Tables of many-to-many relationships, keys and history.
    var others: [String] = []
    var isByKey = false

    var isHistory: Bool { others.contains(StatementShapes.history) }
}

/// The tables of the SQL statements that an exploration has executed.
///
/// A statement with a column that has the name of a table counts as a use of that table. The
/// reduced exploration then runs more schedules than necessary, but misses none.
struct StatementShapes {
    /// One resource for all tables of the history.
    static let history = "history"

    private var known: [String: StatementShape] = [:]
    private var roots: [String: Int] = [:]
    private var layout: ModelLayout?
    private var derived: Bool?

    mutating func shape(of sql: String, _ layout: ModelLayout) -> StatementShape {
        learn(layout)
        if let shape = known[sql] { return shape }
        let shape = makeShape(sql)
        known[sql] = shape
        return shape
    }

    /// Whether saves change further rows, because of derived attributes.
    mutating func hasDerived(_ layout: ModelLayout) -> Bool {
        learn(layout)
        if let derived { return derived }
        let found = layout.hasDerivedValues
        derived = found
        return found
    }

    private mutating func learn(_ layout: ModelLayout) {
        if self.layout === layout { return }
        self.layout = layout
        known = [:]
        derived = nil
        roots = Dictionary(
            layout.entities.map { ($0.tableName, $0.rootIndex) },
            uniquingKeysWith: { one, _ in one })
    }

    private func makeShape(_ sql: String) -> StatementShape {
        var shape = StatementShape()
        var (roots, others) = (Set<Int>(), Set<String>())
        for word in sql.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }) {
            if let root = self.roots[String(word)] {
                roots.insert(root)
            } else if word.hasPrefix("ATRANSACTION") || word == "ACHANGE" {
                others.insert(Self.history)
            } else if word == "Z_PRIMARYKEY" || word == "Z_METADATA" || Self.isJoin(word) {
                others.insert(String(word))
            }
        }
        shape.roots = roots.sorted()
        shape.others = others.sorted()
        shape.isByKey = sql.contains("Z_PK = ?") || sql.contains("Z_PK IN")
        return shape
    }

    /// Whether a table belongs to a many-to-many relationship; the names of such tables begin with
    /// a number.
    private static func isJoin(_ word: Substring) -> Bool {
        word.hasPrefix("Z_") && word.dropFirst(2).first?.isNumber == true
    }
}
