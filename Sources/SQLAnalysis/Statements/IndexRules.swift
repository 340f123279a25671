struct IndexColumns: Hashable {
    let table: String
    let columns: [StatementShape.Column]
}

/// Finds choices of indexes that SQLite may use for a table in a statement.
///
/// Columns that are compared with single values come first in an index. A column that is sorted, or
/// compared with a range, follows. Each side of an OR needs its own index, so a choice may contain
/// several indexes that only help together.
struct IndexRules {
    let scope: SQLScope
    let table: SQLScope.Table
    var ranges: Set<String> = ["<", ">", "<=", ">=", "BETWEEN"]

    private static let values: Set<String> = ["=", "==", "IS", "IN"]
    /// The maximum number of choices, and of indexes in a choice. Trying choices takes time, and
    /// indexes slow down writes.
    private static let choicesMax = 12
    private static let indexesMax = 6

    /// Choices of indexes for searching rows, the most promising choice first.
    var searching: [[IndexColumns]] {
        let terms = scope.condition.terms
        var choices = lists(terms, order: order).map { [$0] }
        for case .any(let sides) in terms {
            if let choice = choice(for: sides) { choices.append(choice) }
        }
        return Array(choices.prefix(Self.choicesMax))
    }

    /// Choices of indexes for reading the rows in the order of the statement.
    var sorting: [[IndexColumns]] {
        guard !order.isEmpty else { return [] }
        let values = columns(scope.condition.terms, Self.values)
        return [[index(values + order)]] + (values.isEmpty ? [] : [[index(order)]])
    }

    /// The columns of ORDER BY, if all of them belong to this table; otherwise empty.
    private var order: [StatementShape.Column] {
        let columns = scope.order.compactMap { order -> StatementShape.Column? in
            if case .column(let column) = order, isOwn(column) { column } else { nil }
        }
        return columns.count == scope.order.count ? columns : []
    }

    private func lists(
        _ terms: [SQLCondition], order: [StatementShape.Column]
    ) -> [IndexColumns] {
        let values = columns(terms, Self.values)
        let ranges = columns(terms, self.ranges)
        let alone = ranges.map { [$0] }
        guard !values.isEmpty else { return alone.map(index) }
        let sorted = order.isEmpty ? [] : [values + order]
        let lists = sorted + ranges.map { values + [$0] } + [values] + alone
        var seen: Set<IndexColumns> = []
        return lists.map(index).filter { seen.insert($0).inserted }
    }

    /// An index for each side of an OR. Nil if a side has none, because SQLite then scans the
    /// table.
    private func choice(for sides: [SQLCondition]) -> [IndexColumns]? {
        var choice: [IndexColumns] = []
        for side in sides {
            let terms = side.terms
            if let first = lists(terms, order: []).first {
                choice.append(first)
            } else if let nested = nested(in: terms) {
                choice += nested
            } else if !isByKey(terms) {
                return nil
            }
        }
        let needed = choice.enumerated().filter { place, one in
            !choice.enumerated().contains { other, wide in
                wide.columns.starts(with: one.columns) && (wide != one || other < place)
            }
        }
        let isWorthIt = !needed.isEmpty && needed.count <= Self.indexesMax
        return isWorthIt ? needed.map(\.element) : nil
    }

    private func nested(in terms: [SQLCondition]) -> [IndexColumns]? {
        for case .any(let sides) in terms {
            if let choice = choice(for: sides) { return choice }
        }
        return nil
    }

    /// Whether the rows are found by their primary key, for which every table has an index.
    private func isByKey(_ terms: [SQLCondition]) -> Bool {
        terms.contains { term in
            guard case .comparison(let column, let sign) = term else { return false }
            return column.name == "Z_PK" && isOwn(column) && sign != "IS NOT"
        }
    }

    private func columns(
        _ terms: [SQLCondition], _ signs: Set<String>
    ) -> [StatementShape.Column] {
        terms.compactMap { term in
            guard case .comparison(let column, let sign) = term, signs.contains(sign),
                column.name != "Z_PK", isOwn(column)
            else { return nil }
            return column
        }
    }

    private func isOwn(_ column: StatementShape.Column) -> Bool {
        scope.table(of: column) == table
    }

    /// An index on the columns, without repeated columns.
    private func index(_ columns: [StatementShape.Column]) -> IndexColumns {
        var seen: Set<String> = []
        return IndexColumns(
            table: table.name, columns: columns.filter { seen.insert($0.name).inserted })
    }
}
