import CoreDataModel
import CoreDataSQL

/// Views with the names of Core Data's tables in SQLite, so that a statement such as `SELECT
/// SUM(ZBALANCE) FROM ZACCOUNT` also runs on a server. The lab creates them for the statements of
/// scenarios.
///
/// The server reads unquoted names in lower case, so the views have such names. A statement can
/// change rows through a view.
package enum LayoutViews {
    /// The statements that create a view for each root entity.
    ///
    /// - Parameters:
    ///   - store: the schema of the store.
    ///   - views: the schema for the views, which must exist.
    package static func statements(
        _ layout: ModelLayout, store: String, views: String
    ) -> [String] {
        let renamed = ServerNames(layout, schema: store).renamed
        return layout.entities.filter { $0.index == $0.rootIndex }.map { root in
            let rows = ServerNames.rows
            var columns = [
                "\(rows.key) AS z_pk", "\(rows.entity) AS z_ent", "\(rows.version) AS z_opt",
            ]
            var seen: Set<String> = []
            for entity in layout.entities where entity.rootIndex == root.index {
                for (slot, other) in zip(entity.values, renamed[entity.index].values) {
                    guard let name = slot.column, let column = other.column,
                        seen.insert(name).inserted
                    else { continue }
                    let value = slot.kind == .boolean ? "\(column)::integer" : column
                    columns.append("\(value) AS \(Identifier(name.lowercased()).sql)")
                }
            }
            return "CREATE VIEW \(Identifier(views).sql)."
                + Identifier(root.tableName.lowercased()).sql
                + " AS SELECT \(columns.joined(separator: ", "))"
                + " FROM \(renamed[root.index].tableName)"
        }
    }
}
