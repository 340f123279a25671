import CoreDataModel
import CoreDataSQL

/// The SQL that moves the rows of one model's tables to those of another model.
///
/// Rows keep their primary keys. The layouts have the names of the tables and columns in the store.
package struct RowMoves {
    package let source: ModelLayout
    package let sourceNumbers: EntityNumbers
    package let destination: ModelLayout
    package let destinationNumbers: EntityNumbers
    package let mapping: SchemaMapping
    package let dialect: any MigrationDialect

    package init(
        from source: ModelLayout, _ sourceNumbers: EntityNumbers, to destination: ModelLayout,
        _ destinationNumbers: EntityNumbers, _ mapping: SchemaMapping,
        _ dialect: any MigrationDialect
    ) {
        self.source = source
        self.sourceNumbers = sourceNumbers
        self.destination = destination
        self.destinationNumbers = destinationNumbers
        self.mapping = mapping
        self.dialect = dialect
    }

    var memberships: MembershipSource { MembershipSource(source: source, key: dialect.rows.key) }

    /// Whether the table contains rows of entities that the new model no longer contains.
    package func dropsRows(of table: String) -> Bool {
        let mapped = Set(mapping.entities.compactMap(\.source))
        return source.entities.contains {
            $0.tableName == table && !$0.isAbstract && !mapped.contains($0.index)
        }
    }

    /// - Parameter columns: the columns of the new table with their types, without those that every
    ///   table has.
    package func move(
        _ root: EntityLayout, system: [String], columns: [(name: String, definition: String)]
    ) -> TableMove {
        TableMove(
            table: root.tableName, rows: dialect.rows, system: system, columns: columns,
            pieces: root.familyRange.compactMap(piece))
    }

    private func piece(_ index: Int) -> TableMove.Piece? {
        guard let sourceIndex = mapping.entities[index].source else { return nil }
        let (entity, old) = (destination[index], source[sourceIndex])
        let root = source[old.rootIndex]
        let number = sourceNumbers.number(of: sourceIndex)
        var piece = TableMove.Piece(
            sourceTable: old.tableName,
            condition: root.hasSubentities ? "\(dialect.rows.entity) = \(number)" : nil,
            oldNumber: number, newNumber: destinationNumbers.number(of: index))
        for slot in entity.values.indices { fill(&piece, entity, slot) }
        fillMemberColumns(&piece, entity)
        // Values in unused columns must not reappear as values of another property.
        for column in ownColumns(old) where piece.expressions[column] == nil {
            piece.expressions[column] = .literal("NULL")
        }
        return piece
    }

    private func ownColumns(_ entity: EntityLayout) -> [String] {
        entity.values.flatMap { [$0.column, $0.toOne?.entityColumn].compactMap { $0 } }
    }

    private func fill(_ piece: inout TableMove.Piece, _ entity: EntityLayout, _ slot: Int) {
        let value = entity.values[slot]
        guard let column = value.column else { return }
        let map = mapping.entities[entity.index]
        guard let sourceIndex = map.source else { return }
        if let toOne = value.toOne {
            let expressions = keyExpressions(
                key(for: entity, slot, toOne), column: column, entityColumn: toOne.entityColumn,
                on: piece.sourceTable)
            piece.expressions.merge(expressions) { $1 }
            return
        }
        let literal = dialect.literal(map.defaults[slot], in: value)
        guard case .value(let index) = map.values[slot],
            let old = source[sourceIndex].values[index].column
        else {
            piece.expressions[column] = .literal(literal)
            return
        }
        let before = source[sourceIndex].values[index]
        let fillsIn = !value.isOptional && literal != "NULL" && before.isOptional
        if let converted = dialect.conversion(of: old, from: before, to: value) {
            piece.expressions[column] = .other(
                fillsIn ? "COALESCE(\(converted), \(literal))" : converted)
            return
        }
        piece.expressions[column] = fillsIn ? .columnOr(old, literal: literal) : .column(old)
    }

    /// The former storage of the to-one relationship: its own foreign key, or the foreign key of
    /// its inverse.
    func key(for entity: EntityLayout, _ slot: Int, _ toOne: ToOneLayout) -> KeySource {
        let map = mapping.entities[entity.index]
        if let index = map.source, let key = memberships.ownKey(map.values[slot], of: index) {
            return .column(key)
        }
        return inverseKey(toOne.inverse, of: toOne.destinationIndex)
    }

    private func inverseKey(_ inverse: InverseSlot, of owner: Int) -> KeySource {
        let map = mapping.entities[owner]
        guard let index = map.source else { return .none }
        switch inverse {
        case .none: return .none
        case .toMany(let slot): return memberships.key(map.toMany[slot], of: index)
        case .value(let slot): return memberships.key(map.values[slot], of: index)
        }
    }
}
