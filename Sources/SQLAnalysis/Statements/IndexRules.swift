/// Columns that an index is over, in its order.
struct IndexColumns: Hashable {
    let table: String
    let columns: [StatementShape.Column]
}

/// Finds what indexes may serve a table in a statement, by rule: what is compared with one value
/// comes first, then what is sorted by or compared with a range, and each side of an OR has one.
///
/// Those of one choice are needed together.
struct IndexRules {
    let scope: SQLScope
    let table: SQLScope.Table
    var ranges: Set<String> = ["<", ">", "<=", ">=", "BETWEEN"]

    private static let values: Set<String> = ["=", "==", "IS", "IN"]
    /// More choices are not worth a trial, and more indexes than that not worth their writes.
    private static let choicesMax = 12
    private static let indexesMax = 6

    /// Indexes by which rows can be searched for, the most promising first.
    var searching: [[IndexColumns]] {
        let terms = scope.condition.terms
        var choices = lists(terms, order: order).map { [$0] }
        for case .any(let sides) in terms {
            if let choice = choice(for: sides) { choices.append(choice) }
        }
        return Array(choices.prefix(Self.choicesMax))
    }

    /// Indexes in whose order the rows can be read.
    var sorting: [[IndexColumns]] {
        guard !order.isEmpty else { return [] }
        let values = columns(scope.condition.terms, Self.values)
        return [[index(values + order)]] + (values.isEmpty ? [] : [[index(order)]])
    }

    /// What is sorted by, if all of it stands in this table's rows.
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

    /// An index for each side; nil where a side has none, so that the others are of no use.
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

    /// The key has an index in every table.
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

    /// Each column once.
    private func index(_ columns: [StatementShape.Column]) -> IndexColumns {
        var seen: Set<String> = []
        return IndexColumns(
            table: table.name, columns: columns.filter { seen.insert($0.name).inserted })
    }
}
