import LabResults

/// Finds missing indexes in query plans.
struct IndexFindings {
    let catalog: ShapeCatalog
    let names: EntityNames
    let plans: [Int: [String]]
    /// The rows of a table; nil where nobody knows.
    let rowCount: (String) -> Int?

    /// A table with fewer rows is looked through as fast as an index.
    private static let smallTable = 100

    func all(_ sums: [ShapeSums.Sum]) -> [SQLFinding] {
        plans.keys.sorted().compactMap { index in
            guard let plan = plans[index], index < sums.count, sums[index].count > 0
            else { return nil }
            let seen = sums[index]
            let shape = catalog[index]
            let table = shape.table ?? ""
            let rows = rowCount(table)
            guard rows ?? .max >= Self.smallTable,
                let (title, advice) = problem(shape, plan, rows)
            else { return nil }
            return SQLFinding(
                kind: .missingIndex, title: title, statements: seen.count,
                nanoseconds: seen.nanoseconds, lines: [seen.line], advice: advice,
                statement: shape.text, plan: plan)
        }
    }

    private func problem(
        _ shape: StatementShape, _ plan: [String], _ rows: Int?
    ) -> (title: String, advice: String)? {
        let name = names.shown(table: shape.table)
        let size = rows.map { " of \($0) rows" } ?? ""
        if shape.hasWhere, plan.contains(where: { isScan($0, of: shape) }) {
            return (
                "A statement on \(name) looks through the whole table\(size)",
                adviceForConditions(shape)
            )
        }
        let sorts = plan.contains { $0.contains("USE TEMP B-TREE FOR") && $0.contains("ORDER BY") }
        if sorts, !shape.order.isEmpty, !shape.hasWhere || shape.hasLimit {
            return (
                "A fetch of \(name) sorts the whole table\(size) on its own",
                "Add a fetch index on \(list(shape.order, shape)) to the entity \(name)."
            )
        }
        return nil
    }

    /// `SCAN t0`, also as `SCAN TABLE ZBOOK AS t0`, without an index.
    private func isScan(_ line: String, of shape: StatementShape) -> Bool {
        let words = line.split(separator: " ").map(String.init)
        guard let start = words.firstIndex(of: "SCAN") else { return false }
        let rest = words[(start + 1)...]
        let named = [shape.alias, shape.table].compactMap(\.self)
        let free =
            !rest.contains("USING") && !rest.contains("CONSTANT") && !rest.contains("VIRTUAL")
        return free && rest.contains { named.contains($0) }
    }

    private func adviceForConditions(_ shape: StatementShape) -> String {
        let served: Set<String> = ["=", "==", "<", ">", "<=", ">=", "IN", "BETWEEN", "IS"]
        let name = names.shown(table: shape.table)
        let columns = shape.conditions.filter {
            served.contains($0.comparison) && $0.column.name != "Z_ENT"
                && ($0.column.alias == nil || $0.column.alias == shape.alias)
        }.map(\.column)
        guard !columns.isEmpty else {
            return "No index serves this condition (a search inside texts, a function or OR). "
                + "Search by a prefix on a normalised copy of the attribute, or narrow the fetch "
                + "by another attribute with an index."
        }
        return "Add a fetch index on \(list(columns, shape)) to the entity \(name)."
    }

    private func list(_ columns: [StatementShape.Column], _ shape: StatementShape) -> String {
        var seen: Set<String> = []
        return columns.compactMap { column in
            let known = names.attribute(table: shape.table, column: column.name)
            let name = known?.attribute ?? "the attribute of column \(column.name)"
            return seen.insert(name).inserted ? name : nil
        }.joined(separator: ", ")
    }
}
