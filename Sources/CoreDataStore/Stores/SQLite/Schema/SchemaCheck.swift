import CoreDataModel
import CoreDataSQLite

/// Compares a model with the tables and columns that a file has.
///
/// Called when an existing file opens. The entities' hashes play no part: a store that another
/// framework wrote is usable when all that the model needs is there. What the file has beyond
/// that is left alone.
struct SchemaCheck {
    package let layout: ModelLayout
    /// The entities that the store keeps; nil for all.
    package var entityIndexes: Set<Int>?

    /// What a file has, read in two statements.
    struct Found {
        package var columns: [String: Set<String>] = [:]
        package var numbers: [String: Int64] = [:]
        /// The number of the superentity by that of the entity; 0 for none.
        package var supers: [Int64: Int64] = [:]
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
        let parent = known.contains("Z_SUPER") ? "Z_SUPER" : "0"
        let numbers = try connection.statement("SELECT Z_ENT, Z_NAME, \(parent) FROM Z_PRIMARYKEY")
        defer { numbers.finish() }
        while try numbers.step() {
            guard EntityNumbers.isUsable(numbers.integer(0)) else { continue }
            found.numbers[numbers.text(1)] = numbers.integer(0)
            found.supers[numbers.integer(0)] = numbers.integer(2)
        }
        return found
    }

    /// The numbers of the model's entities in the file.
    ///
    /// - Throws: ``CoreDataError`` with code 134100 that names everything that is missing.
    package func match(_ found: Found) throws(CoreDataError) -> EntityNumbers {
        var found = found
        found.numbers.merge(renamed(in: found)) { own, _ in own }
        let missing = missing(in: found)
        guard missing.isEmpty else {
            let shown = missing.prefix(8).joined(separator: ", ")
            let rest = missing.count > 8 ? " and \(missing.count - 8) more" : ""
            throw CoreDataError(
                .storeIncompatibleVersionHash,
                "The model does not fit the store: it lacks \(shown)\(rest); "
                    + "open it with the model that it was made with, or migrate it",
                info: ["missing": missing.joined(separator: ", ")])
        }
        return EntityNumbers(
            numbers: ContiguousArray(layout.entities.map { found.numbers[$0.name] ?? 0 }))
    }

    /// The numbers of entities that a migration in place has renamed: Core Data leaves the old name
    /// in `Z_PRIMARYKEY`. One is known by its place below its superentity.
    private func renamed(in found: Found) -> [String: Int64] {
        let names = Set(layout.entities.map(\.name))
        var left = found.supers.filter { number, _ in
            EntityNumbers.isUsable(number)
                && !found.numbers.contains {
                    $0.value == number && names.contains($0.key)
                }
        }
        var result: [String: Int64] = [:]
        // Superentities stand before their subentities.
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
        var result: [String] = []
        func need(_ table: String, _ columns: [String?]) {
            guard let existing = found.columns[table] else {
                if seen.insert(table).inserted { result.append("table \(table)") }
                return
            }
            for case let column? in columns where !existing.contains(column) {
                let name = "column \(table).\(column)"
                if seen.insert(name).inserted { result.append(name) }
            }
        }
        for entity in layout.entities where entityIndexes?.contains(entity.index) ?? true {
            if found.numbers[entity.name] == nil { result.append("entity \(entity.name)") }
            need(entity.tableName, ["Z_PK", "Z_ENT", "Z_OPT"])
            need(entity.tableName, entity.values.flatMap { [$0.column, $0.toOne?.entityColumn] })
            for slot in entity.toMany {
                switch slot.storage {
                case .foreignKey(let column, let entityColumn, let orderColumn):
                    need(
                        layout[slot.destinationIndex].tableName,
                        [column, entityColumn, orderColumn])
                case .joinTable(let table, let owner, let destination, let order, _):
                    need(table, [owner, destination, order])
                case .none: break
                }
            }
        }
        return result
    }
}

/// Whether the model's names can stand in a statement as they are.
enum SchemaNames {
    /// - Throws: ``CoreDataError`` with code 134020 for a name that is no identifier.
    package static func check(_ layout: ModelLayout) throws(CoreDataError) {
        for entity in layout.entities {
            let columns = entity.values.flatMap { [$0.column, $0.toOne?.entityColumn] }
            // Names of other indexes stand in quotes where they need them.
            let indexes =
                entity.indexes.filter(\.isSpatial).map(\.name)
                + entity.uniquenessConstraints.map(\.indexName)
            let storage = entity.toMany.flatMap { names(in: $0.storage) }
            let all = [entity.tableName] + columns.compactMap { $0 } + indexes + storage
            if let odd = all.first(where: { !isIdentifier($0) }) {
                throw CoreDataError(
                    .storeIncompatibleSchema,
                    "Entity \(entity.name) leads to the name '\(odd)', which a store cannot use; "
                        + "use letters, digits and _ in names")
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
