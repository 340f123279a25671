import CoreDataModel
import CoreDataSQLite

/// Creates the R-trees of a model's spatial indexes, and the triggers that keep them up to date.
///
/// Source: semantics.md §7.6.
struct SpatialIndexes {
    let layout: ModelLayout

    static let prefix = "Z_RT_"

    /// The name of the table of an index, which begins with `Z_`.
    static func table(of index: IndexLayout) -> String { prefix + index.name.dropFirst(2) }

    /// Finds the R-trees in a file. Runs no statement if the model has no spatial index.
    static func tables(
        _ layout: ModelLayout, _ connection: Connection
    ) throws(SQLiteError) -> Set<String> {
        guard layout.entities.contains(where: { $0.indexes.contains(where: \.isSpatial) }) else {
            return []
        }
        let statement = try connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB '\(prefix)*'")
        defer { statement.finish() }
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(0)) }
        return names
    }

    func statements(keeping keeps: (Int) -> Bool = { _ in true }) -> [String] {
        trees(keeps).flatMap { [$0.table] + $0.triggers }
    }

    func filling() -> [String] { trees { _ in true }.map(\.filling) }

    private func trees(_ keeps: (Int) -> Bool) -> [Tree] {
        var seen: Set<String> = []
        // A subentity lists an inherited index again. Such repetitions are skipped.
        return layout.entities.filter { keeps($0.index) }.flatMap { entity in
            entity.indexes.filter { $0.isSpatial && seen.insert($0.name).inserted }
                .map { Tree(entity, $0) }
        }
    }

    /// One R-tree. It contains a box of one point for each row whose coordinates are all known.
    private struct Tree {
        private let name: String
        private let source: String
        private let columns: [String]

        init(_ entity: EntityLayout, _ index: IndexLayout) {
            name = SpatialIndexes.table(of: index)
            source = entity.tableName
            columns = index.elements.compactMap(\.slot).compactMap { entity.values[$0].column }
        }

        var table: String {
            let bounds = columns.flatMap { ["\($0)_MIN FLOAT", "\($0)_MAX FLOAT"] }
            return "CREATE VIRTUAL TABLE \(name) USING RTREE "
                + "(Z_PK INTEGER PRIMARY KEY, \(bounds.joined(separator: ", ")))"
        }

        var triggers: [String] {
            let remove = "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK;"
            let put =
                "INSERT OR REPLACE INTO \(name) SELECT \(values("NEW.")) WHERE \(known("NEW."));"
            let changing = columns.joined(separator: ", ")
            return [
                trigger("INSERT", "INSERT", put),
                trigger("UPDATE", "UPDATE OF \(changing)", "\(remove) \(put)"),
                trigger("DELETE", "DELETE", remove),
            ]
        }

        var filling: String {
            "INSERT OR REPLACE INTO \(name) SELECT \(values("")) FROM \(source) WHERE \(known(""))"
        }

        private func trigger(_ suffix: String, _ event: String, _ body: String) -> String {
            "CREATE TRIGGER \(name)_\(suffix) AFTER \(event) ON \(source) FOR EACH ROW"
                + " BEGIN \(body) END"
        }

        private func values(_ row: String) -> String {
            (["\(row)Z_PK"] + columns.flatMap { ["\(row)\($0)", "\(row)\($0)"] })
                .joined(separator: ", ")
        }

        private func known(_ row: String) -> String {
            columns.map { "\(row)\($0) NOT NULL" }.joined(separator: " AND ")
        }
    }
}
