import CoreDataModel
import CoreDataSQLite

/// A store of a named configuration while it is migrated.
///
/// Such a store has tables for only a part of the model. First the missing tables are added without
/// rows. Then the whole store is migrated, and the tables that the configuration does not need are
/// removed again. So the same statements work for every store.
struct PartialStore {
    let source: Set<Int>
    let destination: Set<Int>

    /// Adds the tables, columns and entities of the whole source model that the file lacks.
    func completion(of layout: ModelLayout, in found: SchemaCheck.Found) -> [String] {
        let generator = SchemaGenerator(layout: layout)
        var statements = generator.tables()
            .filter { found.columns[$0.name] == nil }.map(\.statement)
        for root in layout.entities where root.index == root.rootIndex {
            guard let existing = found.columns[root.tableName] else { continue }
            for column in generator.columns(of: root) {
                let name = String(column.prefix { $0 != " " })
                if existing.contains(name) { continue }
                statements.append("ALTER TABLE \(root.tableName) ADD COLUMN \(column)")
            }
        }
        return statements + numbering(of: layout, in: found)
    }

    private func numbering(of layout: ModelLayout, in found: SchemaCheck.Found) -> [String] {
        var numbers = found.numbers
        var statements: [String] = []
        for entity in layout.entities where numbers[entity.name] == nil {
            let number = (numbers.values.filter { $0 < 16_000 }.max() ?? 0) + 1
            numbers[entity.name] = number
            let parent = entity.superIndex.flatMap { numbers[layout[$0].name] } ?? 0
            statements.append(
                "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES"
                    + "(\(number), \(SQLLiteral.text(.string(entity.name))), \(parent), 0)")
        }
        return statements
    }

    /// Removes the tables and entities that the configuration of the new model does not contain.
    func reduction(of layout: ModelLayout) -> [String] {
        let kept = Set(
            SchemaGenerator(layout: layout, entityIndexes: destination).tables().map(\.name))
        let tables = SchemaGenerator(layout: layout).tables().map(\.name)
        let others = layout.entities.filter { !destination.contains($0.index) }
        let numbers = others.map { "\($0.index + 1)" }.joined(separator: ", ")
        return tables.filter { !kept.contains($0) }.map { "DROP TABLE \($0)" }
            + (others.isEmpty ? [] : ["DELETE FROM Z_PRIMARYKEY WHERE Z_ENT IN (\(numbers))"])
    }
}
