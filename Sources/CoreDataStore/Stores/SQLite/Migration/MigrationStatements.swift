import CoreDataModel
import CoreDataSQL

/// Creates the SQL that converts the tables of one model to those of another.
///
/// Rows keep their primary keys. A table that already fits the new model is unchanged. A table that
/// only lacks columns is extended. Any other table is rebuilt.
struct MigrationStatements {
    package let source: ModelLayout
    let sourceNumbers: EntityNumbers
    package let destination: ModelLayout
    package let mapping: SchemaMapping
    package let found: SchemaCheck.Found
    /// Whether unused columns and tables may be removed later.
    package let isDeferred: Bool
    /// Whether an earlier migration has left unused columns and tables.
    let hasDeferredWork: Bool

    private var generator: SchemaGenerator { SchemaGenerator(layout: destination) }
    package var memberships: MembershipSource { MembershipSource(source: source) }

    package static let prefix = "Z_MIGRATION_"

    package struct Plan {
        /// The SQL statements in the order in which they run. Each step is one statement.
        package var statements: [String] = []
        /// Whether the removal of unused columns and tables was deferred.
        var leavesWork = false
    }

    /// All statements except those for indexes and the system tables.
    package func plan() -> Plan {
        var plan = Plan()
        var renames: [(from: String, to: String)] = []
        var kept: Set<String> = []
        var later: [String] = []
        for root in destination.entities where root.index == root.rootIndex {
            let move = move(root)
            let existing = isSourceTable(move.table) ? found.columns[move.table] : nil
            let form = move.form(
                existing: existing, droppedRows: dropsRows(of: move.table),
                keepsOldColumns: isDeferred)
            switch form {
            case .kept(let added):
                kept.insert(move.table)
                later += move.extend(added)
                let names = Set(move.columns.map(\.name))
                if existing?.isSubset(of: names) == false { plan.leavesWork = true }
            case .rebuilt:
                let name = "\(Self.prefix)\(renames.count)"
                plan.statements += move.rebuild(as: name)
                renames.append((name, move.table))
            }
        }
        addJoinTables(&plan.statements, &renames, &kept)
        plan.statements += later
        let taken = Set(renames.map(\.to))
        // A table that an earlier migration left behind may have the name of a new table.
        let old = sourceTables().union(taken.filter { found.columns[$0] != nil })
        for table in old.sorted() where !kept.contains(table) {
            if isDeferred && !taken.contains(table) {
                plan.leavesWork = true
            } else {
                plan.statements.append("DROP TABLE \(table)")
            }
        }
        plan.statements += renames.map { "ALTER TABLE \($0.from) RENAME TO \($0.to)" }
        return plan
    }

    /// The tables that the source's model needs and that exist in the file.
    private func sourceTables() -> Set<String> {
        let roots = source.entities.map(\.tableName)
        let joins = SchemaGenerator(layout: source).joinTables().map(\.name)
        return Set(roots + joins + leftovers).filter { found.columns[$0] != nil }
    }

    /// The entity tables and join tables that an earlier migration left unused. Empty if this
    /// migration also defers their removal.
    private var leftovers: [String] {
        guard hasDeferredWork && !isDeferred else { return [] }
        return found.columns.filter { name, columns in
            let isPairs = name.hasPrefix("Z_") && name.dropFirst(2).first?.isNumber == true
            return isPairs
                || name.hasPrefix("Z") && columns.isSuperset(of: ["Z_PK", "Z_ENT", "Z_OPT"])
        }.map(\.key)
    }

    private func isSourceTable(_ name: String) -> Bool {
        source.entities.contains { $0.tableName == name }
    }

    /// Whether the table contains rows of entities that the new model no longer contains.
    private func dropsRows(of table: String) -> Bool {
        let mapped = Set(mapping.entities.compactMap(\.source))
        return source.entities.contains {
            $0.tableName == table && !$0.isAbstract && !mapped.contains($0.index)
        }
    }
}

// MARK: Entity tables

extension MigrationStatements {
    private func move(_ root: EntityLayout) -> TableMove {
        let definitions = generator.columns(of: root)
        let columns = definitions.map { definition in
            (name: String(definition.prefix { $0 != " " }), definition: definition)
        }
        return TableMove(
            table: root.tableName, columns: columns, pieces: root.familyRange.compactMap(piece))
    }

    private func piece(_ index: Int) -> TableMove.Piece? {
        guard let sourceIndex = mapping.entities[index].source else { return nil }
        let (entity, old) = (destination[index], source[sourceIndex])
        let root = source[old.rootIndex]
        let number = sourceNumbers.number(of: sourceIndex)
        var piece = TableMove.Piece(
            sourceTable: old.tableName,
            condition: root.hasSubentities ? "Z_ENT = \(number)" : nil, oldNumber: number,
            newNumber: Int64(index + 1))
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
        let plain = SQLLiteral.text(map.defaults[slot])
        let literal = plain == "NULL" ? plain : value.writeExpression(of: plain)
        guard case .value(let index) = map.values[slot],
            let old = source[sourceIndex].values[index].column
        else {
            piece.expressions[column] = .literal(literal)
            return
        }
        let before = source[sourceIndex].values[index]
        if before.isExternal != value.isExternal {
            piece.expressions[column] = .other(
                value.writeExpression(of: before.readExpression(of: old)))
            return
        }
        let fillsIn = !value.isOptional && literal != "NULL" && before.isOptional
        if let conversion = NumericConversion(from: before.kind, to: value.kind) {
            let number = conversion.sql(old)
            piece.expressions[column] = .other(fillsIn ? "IFNULL(\(number), \(literal))" : number)
            return
        }
        piece.expressions[column] = fillsIn ? .columnOr(old, literal: literal) : .column(old)
    }

    /// The former storage of the to-one relationship: its own foreign key, or the foreign key of
    /// its inverse.
    package func key(
        for entity: EntityLayout, _ slot: Int, _ toOne: ToOneLayout
    ) -> KeySource {
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
