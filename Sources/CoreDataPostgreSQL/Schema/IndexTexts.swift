import CoreDataModel
import CoreDataPredicate
import CoreDataSQL
import CoreDataTrace

/// The indexes and unique constraints of a store.
///
/// An index changes no results. So an element or a condition that SQL cannot express is left out,
/// and a message is logged. Of texts and data, an index contains the beginnings.
struct IndexTexts {
    private let texts: SchemaTexts

    init(_ texts: SchemaTexts) { self.texts = texts }

    /// - Parameter take: returns a free name for an index.
    func parts(_ take: (String) -> String) -> [SchemaPart] {
        var result: [SchemaPart] = []
        for root in texts.roots {
            for column in keyColumns(of: root) {
                let name = take("\(table(root))_\(plain(column))_idx")
                result.append(index(name, root.tableName, [column]))
            }
            if root.hasSubentities {
                let column = ServerNames.rows.entity
                let name = take("\(table(root))\(column)_idx")
                result.append(index(name, root.tableName, [column]))
            }
        }
        for join in texts.joinTables() {
            let name = plain(join.name.split(separator: ".").last.map(String.init) ?? join.name)
            result.append(index(take("\(name)_idx"), join.name, [join.member, join.owner]))
        }
        var seen: Set<String> = []
        for entity in texts.renamed.entities where texts.keeps(entity.index) {
            for index in entity.indexes where seen.insert(index.name).inserted {
                if let text = modelIndex(index, entity, take) { result.append(text) }
            }
            for constraint in entity.uniquenessConstraints
            where seen.insert(constraint.indexName).inserted {
                result.append(unique(constraint, entity, take))
            }
        }
        return result
    }

    private func table(_ entity: EntityLayout) -> String { texts.layout[entity.rootIndex].name }

    private func plain(_ name: String) -> String { name.replacing("\"", with: "") }

    /// The columns of to-one relationships, including those that no slot represents.
    private func keyColumns(of root: EntityLayout) -> [String] {
        texts.columns(of: root).filter { $0.type == "bigint" }.map(\.name).filter { column in
            root.familyRange.contains { index in
                texts.renamed[index].values.contains { $0.column == column && $0.toOne != nil }
            }
                || texts.renamed.entities.contains { entity in
                    entity.toMany.contains {
                        guard case .foreignKey(column, _, _) = $0.storage else { return false }
                        return texts.renamed[$0.destinationIndex].rootIndex == root.index
                    }
                }
        }
    }

    private func index(
        _ name: String, _ table: String, _ elements: [String], where condition: String? = nil
    ) -> SchemaPart {
        let identifier = Identifier(name).sql
        return SchemaPart(
            table: table,
            creation: "CREATE INDEX \(identifier) ON \(table)"
                + " (\(elements.joined(separator: ", ")))"
                + (condition.map { " WHERE \($0)" } ?? ""),
            removal: "DROP INDEX IF EXISTS \(Identifier(texts.schema).sql).\(identifier)")
    }

    private func unique(
        _ constraint: UniquenessConstraint, _ entity: EntityLayout, _ take: (String) -> String
    ) -> SchemaPart {
        let columns = constraint.slots.compactMap { entity.values[$0].column }
        let name = take(([table(entity)] + columns.map(plain) + ["key"]).joined(separator: "_"))
        let table = entity.tableName
        let identifier = Identifier(name).sql
        return SchemaPart(
            table: table,
            creation: "ALTER TABLE \(table) ADD CONSTRAINT \(identifier)"
                + " UNIQUE (\(columns.joined(separator: ", ")))",
            removal: "ALTER TABLE IF EXISTS \(table) DROP CONSTRAINT IF EXISTS \(identifier)")
    }

    private func modelIndex(
        _ index: IndexLayout, _ entity: EntityLayout, _ take: (String) -> String
    ) -> SchemaPart? {
        let dialect = PostgreSQLDialect()
        var shortened = 0
        let elements = index.elements.compactMap { element in
            subject(element.subject, entity, &shortened).map {
                $0 + dialect.direction(isAscending: element.isAscending)
            }
        }
        if elements.isEmpty { return nil }
        let name = index.name.hasPrefix("Z_") ? String(index.name.dropFirst(2)) : index.name
        let condition = index.condition.flatMap { self.condition($0, entity) }
        let part = self.index(take("\(name)_idx"), entity.tableName, elements, where: condition)
        guard let predicate = index.condition, condition == nil else { return part }
        EngineLog.errorOnce(
            "the predicate \(predicate) of a partial index of \(entity.name) compares more than"
                + " attributes with constants; the index covers all rows.")
        return part
    }

    private func subject(
        _ subject: IndexLayout.Element.Subject, _ entity: EntityLayout, _ shortened: inout Int
    ) -> String? {
        switch subject {
        case .slot(let slot):
            let value = entity.values[slot]
            guard let (before, after) = ShortenedColumns.beginning(of: value.kind) else {
                return value.column
            }
            shortened += 1
            if shortened <= ShortenedColumns.countMax {
                return value.column.map { before + $0 + after }
            }
            EngineLog.errorOnce(
                "an index of \(entity.name) has more than \(ShortenedColumns.countMax) attributes"
                    + " with texts or data; the index on the server omits '\(value.name)'.")
            return nil
        case .expression(let expression):
            EngineLog.errorOnce(
                "the expression \(expression) of an index of \(entity.name) is not an attribute;"
                    + " the index on the server omits it.")
            return nil
        }
    }

    // MARK: Conditions

    private static let signs: [NSComparisonPredicate.Operator: String] = [
        .equalTo: "=", .notEqualTo: "<>", .lessThan: "<", .lessThanOrEqualTo: "<=",
        .greaterThan: ">", .greaterThanOrEqualTo: ">=",
    ]

    private func condition(_ predicate: NSPredicate, _ entity: EntityLayout) -> String? {
        switch predicate.node {
        case .constant(let flag): return "\(flag)"
        case .compound(let type, let parts):
            let texts = parts.compactMap { condition($0, entity) }
            guard texts.count == parts.count, !texts.isEmpty else { return nil }
            switch type {
            case .not: return "NOT (\(texts[0]))"
            case .and: return texts.map { "(\($0))" }.joined(separator: " AND ")
            case .or: return texts.map { "(\($0))" }.joined(separator: " OR ")
            }
        case .comparison(let comparison): return self.comparison(comparison, entity)
        case .block: return nil
        }
    }

    private func comparison(_ comparison: Comparison, _ entity: EntityLayout) -> String? {
        guard comparison.modifier == .direct, comparison.options.isEmpty,
            case .keyPath(let keys) = comparison.left.node, keys.count == 1,
            let slot = entity.valueSlot(named: keys[0]), let column = entity.values[slot].column,
            let operand = comparison.right.constantOperand,
            let sign = Self.signs[comparison.operator]
        else { return nil }
        switch (operand, entity.values[slot].kind) {
        case (.null, _):
            switch comparison.operator {
            case .equalTo: return "\(column) IS NULL"
            case .notEqualTo: return "\(column) IS NOT NULL"
            default: return nil
            }
        case (.integer(let number), .boolean):
            return number == 0 || number == 1 ? "\(column) \(sign) \(number == 1)" : nil
        case (.integer(let number), .integer16), (.integer(let number), .integer32),
            (.integer(let number), .integer64):
            return "\(column) \(sign) \(number)"
        case (.string(let text), .string):
            return text.contains("\0") ? nil : "\(column) \(sign) \(text.sqlLiteral)"
        default: return nil
        }
    }
}
