import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Checks that a file contains the tables and columns that a model needs.
///
/// It does not compare hashes. A store of another framework can be used if it has everything that
/// the model needs. Other content of the file is ignored.
struct SchemaCheck {
    package let layout: ModelLayout
    /// The entities that the store keeps; nil for all.
    package var entityIndexes: Set<Int>?

    /// The tables, columns and entities that a file contains.
    struct Found {
        package var columns: [String: Set<String>] = [:]
        package var numbers: [String: Int64] = [:]
        /// The number of each entity's superentity, by the number of the entity; 0 for a root
        /// entity.
        package var supers: [Int64: Int64] = [:]

        package var hasMetadata: Bool {
            columns["Z_METADATA"]?.isSuperset(of: Self.metadataColumns) == true
        }

        fileprivate static let metadataColumns = ["Z_VERSION", "Z_UUID", "Z_PLIST"]

        fileprivate mutating func readNumbers(
            _ connection: Connection, parent: String
        ) throws(SQLiteError) {
            let rows = try connection.statement(
                "SELECT Z_ENT, Z_NAME, \(parent) FROM Z_PRIMARYKEY")
            defer { rows.finish() }
            while try rows.step() {
                guard EntityNumbers.isUsable(rows.integer(0)) else { continue }
                numbers[rows.text(1)] = rows.integer(0)
                supers[rows.integer(0)] = rows.integer(2)
            }
        }
    }

    /// The columns that the model needs in a table.
    private struct Need {
        let table: String
        let columns: [String]

        init(_ table: String, _ columns: [String?]) {
            self.table = table
            self.columns = columns.compactMap { $0 }
        }
    }

    package static func read(_ connection: Connection) throws(SQLiteError) -> Found {
        var found = Found()
        let columns = try connection.statement(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
                + "WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%'")
        defer { columns.finish() }
        while try columns.step() {
            found.columns[columns.text(0), default: []].insert(columns.text(1))
        }
        let known = found.columns["Z_PRIMARYKEY"] ?? []
        guard known.isSuperset(of: ["Z_ENT", "Z_NAME", "Z_MAX"]) else { return found }
        try found.readNumbers(connection, parent: known.contains("Z_SUPER") ? "Z_SUPER" : "0")
        return found
    }

    /// Searches a file for the names that the model needs. If one is missing, reads all names.
    ///
    /// Most files contain all of them, and the search costs a fraction of reading a whole schema.
    package func read(_ connection: Connection) throws(SQLiteError) -> Found {
        if let found = try readNeeded(connection) { return found }
        return try Self.read(connection)
    }

    /// Searches for the names. Nil if one is missing. Also nil if the configuration excludes
    /// entities, because a table may then lack columns.
    private func readNeeded(_ connection: Connection) throws(SQLiteError) -> Found? {
        guard kept.count == layout.entities.count,
            connection.table("Z_PRIMARYKEY", has: ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"])
        else { return nil }
        var found = Found()
        // This statement runs first: it begins the read transaction in which the names are
        // searched.
        try found.readNumbers(connection, parent: "Z_SUPER")
        guard kept.allSatisfy({ found.numbers[$0.name] != nil }) else { return nil }
        for need in needs + [Need("Z_METADATA", Found.metadataColumns)] {
            guard connection.table(need.table, has: need.columns) else { return nil }
            found.columns[need.table, default: []].formUnion(need.columns)
        }
        return found
    }

    /// Returns the numbers that the model's entities have in the file.
    ///
    /// - Throws: ``CoreDataError`` with code 134100 if tables, columns or entities are missing. The
    ///   error names all of them.
    package func match(_ found: Found) throws(CoreDataError) -> EntityNumbers {
        var found = found
        found.numbers.merge(renamed(in: found)) { own, _ in own }
        let missing = missing(in: found)
        guard missing.isEmpty else {
            let shown = missing.prefix(8).joined(separator: ", ")
            let rest = missing.count > 8 ? " and \(missing.count - 8) more" : ""
            throw CoreDataError(
                .storeIncompatibleVersionHash,
                "The model does not fit the store, which lacks \(shown)\(rest); "
                    + "open the store with the model that created it, or migrate the store",
                info: ["missing": missing.joined(separator: ", ")])
        }
        return EntityNumbers(
            numbers: ContiguousArray(layout.entities.map { found.numbers[$0.name] ?? 0 }))
    }

    /// Finds the numbers of entities that a migration has renamed in place. `Z_PRIMARYKEY` keeps
    /// the old name, so such an entity is identified by its superentity. If several numbers have
    /// that superentity, its index decides.
    private func renamed(in found: Found) -> [String: Int64] {
        let names = Set(layout.entities.map(\.name))
        var left = found.supers.filter { number, _ in
            EntityNumbers.isUsable(number)
                && !found.numbers.contains {
                    $0.value == number && names.contains($0.key)
                }
        }
        var result: [String: Int64] = [:]
        // Superentities precede their subentities.
        for entity in layout.entities where found.numbers[entity.name] == nil {
            let parent = entity.superIndex.map { layout[$0].name }
            let above = parent.map { found.numbers[$0] ?? result[$0] ?? 0 } ?? 0
            let fitting = left.filter { $0.value == above }.keys.sorted()
            let own = Int64(entity.index + 1)
            guard let number = fitting.count == 1 ? fitting[0] : fitting.first(where: { $0 == own })
            else { continue }
            result[entity.name] = number
            left[number] = nil
        }
        return result
    }

    private func missing(in found: Found) -> [String] {
        var seen: Set<String> = []
        let entities = kept.filter { found.numbers[$0.name] == nil }.map { "entity \($0.name)" }
        let names = needs.flatMap { need -> [String] in
            guard let existing = found.columns[need.table] else { return ["table \(need.table)"] }
            return need.columns.filter { !existing.contains($0) }
                .map { "column \(need.table).\($0)" }
        }
        return entities + names.filter { seen.insert($0).inserted }
    }

    private var kept: [EntityLayout] {
        layout.entities.filter { entityIndexes?.contains($0.index) ?? true }
    }

    /// The tables and columns that the kept entities need. A table is listed once for each of its
    /// entities.
    private var needs: [Need] {
        kept.flatMap { entity in
            let own = entity.values.flatMap { [$0.column, $0.toOne?.entityColumn] }
            return [Need(entity.tableName, ["Z_PK", "Z_ENT", "Z_OPT"] + own)]
                + entity.toMany.compactMap(need)
        }
    }

    private func need(_ slot: ToManySlot) -> Need? {
        switch slot.storage {
        case .foreignKey(let column, let entityColumn, let orderColumn):
            Need(layout[slot.destinationIndex].tableName, [column, entityColumn, orderColumn])
        case .joinTable(let table, let owner, let destination, let order, _):
            Need(table, [owner, destination, order])
        case .none: nil
        }
    }
}

/// Checks that the model's names can be used unquoted in SQL statements.
enum SchemaNames {
    /// - Throws: ``CoreDataError`` with code 134020 for a name that is not an identifier.
    package static func check(_ layout: ModelLayout) throws(CoreDataError) {
        for entity in layout.entities {
            let columns = entity.values.flatMap { [$0.column, $0.toOne?.entityColumn] }
            // The names of other indexes are quoted if necessary.
            let indexes =
                entity.indexes.filter(\.isSpatial).map(\.name)
                + entity.uniquenessConstraints.map(\.indexName)
            let storage = entity.toMany.flatMap { names(in: $0.storage) }
            let all = [entity.tableName] + columns.compactMap { $0 } + indexes + storage
            if let odd = all.first(where: { !isIdentifier($0) }) {
                throw CoreDataError(
                    .storeIncompatibleSchema,
                    "Entity \(entity.name) needs the table, column or index '\(odd)', whose name a"
                        + " store cannot use; use letters, digits and _ in names")
            }
        }
    }

    private static func names(in storage: ToManyStorage) -> [String] {
        switch storage {
        case .foreignKey(let column, let entityColumn, let orderColumn):
            [column, entityColumn, orderColumn].compactMap { $0 }
        case .joinTable(let table, let owner, let destination, let order, let inverseOrder):
            [table, owner, destination, order, inverseOrder].compactMap { $0 }
        case .none: []
        }
    }

    private static func isIdentifier(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            }
    }
}
