import CoreDataModel
import CoreDataSQL

/// Creates the SQL that converts the tables of one model to those of another.
///
/// Rows keep their primary keys. A table that already fits the new model is unchanged. A table that
/// only lacks columns is extended. Any other table is rebuilt.
struct MigrationStatements {
    let moves: RowMoves
    let found: SchemaCheck.Found
    /// Whether unused columns and tables may be removed later.
    let isDeferred: Bool
    /// Whether an earlier migration has left unused columns and tables.
    let hasDeferredWork: Bool

    private var source: ModelLayout { moves.source }
    private var destination: ModelLayout { moves.destination }
    private var generator: SchemaGenerator { SchemaGenerator(layout: destination) }

    private static let prefix = "Z_MIGRATION_"

    struct Plan {
        /// The SQL statements in the order in which they run. Each step is one statement.
        var statements: [String] = []
        /// Whether the removal of unused columns and tables was deferred.
        var leavesWork = false
    }

    /// All statements except those for indexes and the system tables.
    func plan() -> Plan {
        var plan = Plan()
        var renames: [(from: String, to: String)] = []
        var kept: Set<String> = []
        var later: [String] = []
        for root in destination.entities where root.index == root.rootIndex {
            let move = move(root)
            let existing = isSourceTable(move.table) ? found.columns[move.table] : nil
            let form = move.form(
                existing: existing, droppedRows: moves.dropsRows(of: move.table),
                keepsOldColumns: isDeferred)
            switch form {
            case .kept(let added):
                kept.insert(move.table)
                later += move.extend(added)
                if existing?.isSubset(of: move.names) == false { plan.leavesWork = true }
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

    /// Creates new join tables, and keeps those that fit the new model.
    private func addJoinTables(
        _ statements: inout [String], _ renames: inout [(from: String, to: String)],
        _ kept: inout Set<String>
    ) {
        for table in generator.joinTables() {
            guard let end = moves.end(ofTable: table.name, ownerColumn: table.first) else {
                continue
            }
            if moves.isKept(end) {
                kept.insert(table.name)
                continue
            }
            let name = "\(Self.prefix)\(renames.count)"
            statements.append(table.statement(named: name))
            if let fill = moves.fill(name, end) { statements.append(fill) }
            renames.append((name, table.name))
        }
    }
}

// MARK: Entity tables

extension MigrationStatements {
    private func move(_ root: EntityLayout) -> TableMove {
        let definitions = generator.columns(of: root)
        return moves.move(
            root, system: Array(definitions.prefix(3)),
            columns: definitions.dropFirst(3).map { definition in
                (name: String(definition.prefix { $0 != " " }), definition: definition)
            })
    }
}
