import CoreDataModel
import CoreDataSQL
import CoreDataStore

/// The statements that change the tables of a store on a server from one model to another.
///
/// A table is changed in place if it fits the new model except for missing or unused columns. Any
/// other table is rebuilt. Indexes and unique constraints of both models stay if their table stays.
struct ServerMigrationStatements {
    let moves: RowMoves
    /// The tables for all entities of the two models.
    let whole: (old: SchemaTexts, new: SchemaTexts)
    /// The tables of the store before and after the migration. A store of a configuration lacks
    /// some.
    let stored: (old: SchemaTexts, new: SchemaTexts)

    private var schema: String { Identifier(whole.new.schema).sql }
    private static let prefix = "_migration_"

    /// The statements that add the tables that a store of a configuration lacks.
    var completion: [String] {
        let roots = Set(stored.old.roots.map(\.tableName))
        let missing = whole.old.roots.filter { !roots.contains($0.tableName) }
        let joins = Set(stored.old.joinTables().map(\.name))
        return missing.map(whole.old.table) + missing.map(whole.old.newSequence)
            + whole.old.joinTables().filter { !joins.contains($0.name) }.map(\.table)
    }

    // MARK: Tables

    struct Plan {
        var statements: [String] = []
        /// The tables that are not rebuilt.
        var kept: Set<String> = []
        fileprivate var renames: [(from: String, to: String, key: String)] = []
    }

    /// The statements that change, build and fill tables.
    var tables: Plan {
        var plan = Plan()
        var later: [String] = []
        let existing = Dictionary(
            uniqueKeysWithValues: whole.old.roots.map { root in
                (root.tableName, whole.old.columns(of: root).map(\.name))
            })
        for root in whole.new.roots {
            let columns = whole.new.columns(of: root)
            let move = moves.move(
                root, system: SchemaTexts.systemColumns,
                columns: columns.map { ($0.name, "\($0.name) \($0.type)") })
            let old = existing[move.table]
            let form = move.form(
                existing: old.map { Set($0 + Self.systemNames) },
                droppedRows: moves.dropsRows(of: move.table), keepsOldColumns: true)
            switch form {
            case .kept(let added):
                plan.kept.insert(move.table)
                later += move.extend(added)
                later += (old ?? []).filter { !move.names.contains($0) }.map {
                    "ALTER TABLE \(move.table) DROP COLUMN \($0)"
                }
            case .rebuilt:
                let name = newName(plan)
                plan.statements += move.rebuild(as: name)
                plan.renames.append((name, move.table, ServerNames.rows.key))
            }
        }
        addJoinTables(&plan)
        plan.statements += later
        let old = whole.old.roots.map(\.tableName) + whole.old.joinTables().map(\.name)
        plan.statements += old.filter { !plan.kept.contains($0) }.map { "DROP TABLE \($0)" }
        plan.statements += plan.renames.flatMap(renaming)
        return plan
    }

    private static let systemNames = [
        ServerNames.rows.key, ServerNames.rows.entity, ServerNames.rows.version,
    ]

    private func newName(_ plan: Plan) -> String { "\(schema).\(Self.prefix)\(plan.renames.count)" }

    private func addJoinTables(_ plan: inout Plan) {
        for table in whole.new.joinTables() {
            guard let end = moves.end(ofTable: table.name, ownerColumn: table.owner) else {
                continue
            }
            if moves.isKept(end) {
                plan.kept.insert(table.name)
                continue
            }
            let name = newName(plan)
            // While the table is filled, its primary key prevents duplicates. The key's name
            // contains the temporary name of the table, so the key is dropped here and added again
            // after the renaming.
            plan.statements.append(table.table(named: name))
            if let fill = moves.fill(name, end) { plan.statements.append(fill) }
            plan.statements.append(
                "ALTER TABLE \(name) DROP CONSTRAINT"
                    + " \(Self.prefix)\(plan.renames.count)_pkey")
            plan.renames.append((name, table.name, "\(table.owner), \(table.member)"))
        }
    }

    private func renaming(_ rename: (from: String, to: String, key: String)) -> [String] {
        [
            "ALTER TABLE \(rename.from) RENAME TO \(rename.to.dropFirst(schema.count + 1))",
            "ALTER TABLE \(rename.to) ADD PRIMARY KEY (\(rename.key))",
        ]
    }

    /// The statements that remove the tables that the configuration of the new model does not need.
    var reduction: [String] {
        let kept = Set(stored.new.roots.map(\.tableName) + stored.new.joinTables().map(\.name))
        let joins = whole.new.joinTables().map(\.name)
        return (joins + whole.new.roots.map(\.tableName)).filter { !kept.contains($0) }.map {
            "DROP TABLE \($0)"
        }
    }

    // MARK: Indexes and views

    /// The statements that remove the views and the indexes that the new model lacks.
    func removal(keeping kept: Set<String>) -> [String] {
        let (indexes, views) = stored.old.parts()
        let lasting = Set(stored.new.parts().indexes)
        return views.map(\.removal)
            + indexes.filter { !(kept.contains($0.table) && lasting.contains($0)) }.map(\.removal)
    }

    /// The statements that create the indexes, foreign keys and views that are missing.
    func creation(keeping kept: Set<String>) -> [String] {
        let (indexes, views) = stored.new.parts()
        let existing = Set(stored.old.parts().indexes)
        let former = Set(stored.old.foreignKeys().map(\.creation))
        let keys = stored.new.foreignKeys()
        return indexes.filter { !(kept.contains($0.table) && existing.contains($0)) }
            .map(\.creation)
            + keys.filter { !former.contains($0.creation) }.map(\.repair)
            + keys.map(\.creation) + views.map(\.creation)
    }

    // MARK: Sequences

    /// After these statements, a sequence is not dropped together with its table. Other connections
    /// wait until the commit before they reserve keys.
    var sequenceRelease: [String] {
        whole.old.roots.map { "ALTER SEQUENCE \(whole.old.sequence(of: $0)) OWNED BY NONE" }
    }

    /// The statements that create the sequences of new tables, continue after the keys of the old
    /// tables, and drop unused sequences. So no key is assigned twice.
    func sequences(_ last: [String: Int64]) -> [String] {
        let old = Set(whole.old.roots.map { whole.old.sequence(of: $0) })
        let new = Set(whole.new.roots.map { whole.new.sequence(of: $0) })
        let changes = whole.new.roots.flatMap { root -> [String] in
            let name = whole.new.sequence(of: root)
            let sources = root.familyRange.compactMap { moves.mapping.entities[$0].source }
            let largest =
                sources.compactMap {
                    last[whole.old.sequence(of: whole.old.renamed[$0])]
                }.max() ?? 0
            let number = max(largest, last[name] ?? 0)
            return (old.contains(name) ? [] : [whole.new.newSequence(of: root)])
                + [
                    "SELECT setval(\(name.sqlLiteral), \(number))",
                    whole.new.sequenceOwner(of: root),
                ]
        }
        return changes + old.subtracting(new).sorted().map { "DROP SEQUENCE \($0)" }
    }

    /// The statement that reads the last reserved key of each sequence of the old tables.
    var lastKeys: [(sequence: String, statement: String)] {
        whole.old.roots.map { root in
            let name = whole.old.sequence(of: root)
            return (name, "SELECT last_value FROM \(name)")
        }
    }
}
