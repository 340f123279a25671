import CoreDataModel

/// The reason why SQLite cannot use an index for a statement, and a remedy. Reports contain it if
/// no tried index helps.
struct IndexRemedy {
    /// The reason and the remedy, in a sentence that begins with `No index serves`.
    let sentence: String
    /// The recommended line of code; nil if one line is not enough.
    let code: String?

    /// Nil if an index can be used for each condition. Otherwise describes the first one for which
    /// none can.
    init?(_ scope: SQLScope, _ layout: ModelLayout?) {
        let words = Words(scope: scope, layout: layout)
        guard let found = words.remedy(for: scope.condition) else { return nil }
        self = found
    }

    /// Nil if an index can have the order of the statement. Otherwise describes the reason.
    init?(order scope: SQLScope) {
        guard !scope.order.isEmpty else { return nil }
        let names = scope.order.compactMap { order -> SQLScope.Table? in
            if case .column(let column) = order { scope.table(of: column) } else { nil }
        }
        if scope.order.contains(where: { if case .collated = $0 { true } else { false } }) {
            self.init(
                "No index serves an order of texts by case or language: fetch indexes "
                    + "order by bytes. Sort by a normalised copy of the attribute with an index.")
        } else if scope.order.contains(.computed) || Set(names).count > 1
            || names.first != scope.tables.first
        {
            self.init(
                "No index serves an order by values of other tables or functions. Keep a copy in "
                    + "an attribute of the entity, with a fetch index, and sort by that.")
        } else {
            return nil
        }
    }

    private init(_ sentence: String, code: String? = nil) {
        self.sentence = sentence
        self.code = code
    }

    /// Writes the reason and the remedy, using the names of attributes.
    private struct Words {
        let scope: SQLScope
        let layout: ModelLayout?

        private static let narrow =
            "or narrow the fetch by another attribute that has an index."

        func remedy(for condition: SQLCondition) -> IndexRemedy? {
            switch condition {
            case .all(let terms): return terms.lazy.compactMap { remedy(for: $0) }.first
            case .any(let sides): return remedy(forSides: sides)
            case .comparison(_, let sign): return sign == "IS NOT" ? remedy(.negation) : nil
            case .unserved(let test): return remedy(test)
            }
        }

        private func remedy(forSides sides: [SQLCondition]) -> IndexRemedy? {
            for side in sides where !side.terms.contains(where: isServed) {
                guard let found = remedy(for: side) else { continue }
                return IndexRemedy(
                    found.sentence
                        + " Each side of the OR needs an index; otherwise SQLite uses no index.",
                    code: found.code)
            }
            let tables = sides.flatMap(\.terms).compactMap { term -> SQLScope.Table? in
                if case .comparison(let column, _) = term { scope.table(of: column) } else { nil }
            }
            guard Set(tables).count > 1 else { return nil }
            return IndexRemedy(
                "No index serves an OR over attributes of several entities. Use a separate fetch"
                    + " for each side.")
        }

        private func isServed(_ condition: SQLCondition) -> Bool {
            switch condition {
            case .comparison(_, let sign): sign != "IS NOT"
            case .any(let sides): remedy(forSides: sides) == nil
            case .all, .unserved: false
            }
        }

        private func remedy(_ test: SQLCondition.Unserved) -> IndexRemedy {
            switch test {
            case .prefix(let column, options: ""): prefix(column)
            case .prefix(let column, let options): prefix(column, options)
            case .search:
                IndexRemedy(
                    "No index serves a search inside texts (CONTAINS, ENDSWITH, LIKE, MATCHES). "
                        + "If a prefix is enough, write it as a range (>= and <) of a "
                        + "normalised copy with a fetch index, " + Self.narrow)
            case .negation:
                IndexRemedy(
                    "No index serves != or NOT: they usually exclude few rows, and nearly "
                        + "all rows are read. Write the values that you want (==, IN, "
                        + "<), " + Self.narrow)
            case .collation(let column, let options):
                IndexRemedy(
                    "No index serves a comparison with [\(options)], because fetch indexes order "
                        + "texts by their bytes. \(copy(of: column, options)), and compare that "
                        + "with a value that is folded in the same way.")
            case .aggregate(isFiltered: true):
                IndexRemedy(
                    "No index serves the count or the sum of a SUBQUERY, which is computed for "
                        + "each row. If one match is enough, write it as ANY; otherwise keep the "
                        + "number in an attribute with a fetch index.")
            case .aggregate:
                IndexRemedy(
                    "No index serves the count or the sum of a relationship, which is computed for "
                        + "each row. Keep the number in an attribute with a fetch index, such as "
                        + "a derived attribute, and compare that.")
            case .computed:
                IndexRemedy(
                    "No index serves a value that is computed for each row by a function or from "
                        + "several attributes. Keep the result in an attribute with a fetch index, "
                        + "and compare that.")
            }
        }

        // MARK: Texts

        private static let end =
            "from the prefix up to the prefix with its last character replaced by the "
            + "next one"

        private func prefix(_ column: StatementShape.Column) -> IndexRemedy {
            IndexRemedy(
                "No index serves BEGINSWITH, which a function tests in each row. If texts are "
                    + "stored normalised, add a fetch index to \(name(column)) and write the "
                    + "prefix as a range: \(Self.end).",
                code: ownAttribute(column).map(Self.range))
        }

        private func prefix(_ column: StatementShape.Column, _ options: String) -> IndexRemedy {
            IndexRemedy(
                "No index serves BEGINSWITH[\(options)], which a function tests in each row. "
                    + "\(copy(of: column, options)), and write the prefix, folded in the same way, "
                    + "as a range: \(Self.end).",
                code: ownAttribute(column).map { Self.range(Self.copyName($0)) })
        }

        private static func range(_ attribute: String) -> String {
            "request.predicate = NSPredicate(format: \"\(attribute) >= %@ AND \(attribute) < %@\", "
                + "prefix, end)"
        }

        private func copy(of column: StatementShape.Column, _ options: String) -> String {
            let list = [
                options.contains("c") ? ".caseInsensitive" : nil,
                options.contains("d") ? ".diacriticInsensitive" : nil,
            ].compactMap(\.self).joined(separator: ", ")
            let named = ownAttribute(column).map { ", such as \(Self.copyName($0))," } ?? ""
            return "Keep a normalised copy of \(name(column)) in an attribute\(named) with a "
                + "fetch index, folded by folding(options: [\(list)], locale: nil)"
        }

        private static func copyName(_ attribute: String) -> String {
            "normalised" + attribute.prefix(1).uppercased() + attribute.dropFirst()
        }

        private func name(_ column: StatementShape.Column) -> String {
            let table = scope.table(of: column)?.name
            return layout?.attribute(table: table, column: column.name)
                ?? "the attribute of column \(column.name)"
        }

        /// The attribute of the fetched entity for a column; nil for a column of another table.
        private func ownAttribute(_ column: StatementShape.Column) -> String? {
            guard let table = scope.table(of: column), table == scope.tables.first else {
                return nil
            }
            return layout?.attribute(table: table.name, column: column.name)
        }
    }
}

extension ModelLayout {
    func attribute(table: String?, column: String) -> String? {
        for entity in entities where entity.tableName == table {
            if let slot = entity.values.first(where: { $0.column?.uppercased() == column }) {
                return slot.name
            }
        }
        return nil
    }
}
