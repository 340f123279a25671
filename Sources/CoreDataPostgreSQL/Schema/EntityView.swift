import CoreDataModel
import CoreDataSQL

/// The view of an entity's rows for people: with the names of the model, and with dates as
/// timestamps.
struct EntityView {
    private let entity: EntityLayout
    private let texts: SchemaTexts

    init(_ entity: EntityLayout, _ texts: SchemaTexts) {
        self.entity = entity
        self.texts = texts
    }

    func part(named name: String) -> SchemaPart {
        let view = "\(Identifier(texts.schema).sql).\(Identifier(name).sql)"
        return SchemaPart(
            table: entity.tableName, creation: statement(view),
            removal: "DROP VIEW IF EXISTS \(view)")
    }

    private func statement(_ view: String) -> String {
        let rows = ServerNames.rows
        var columns = [rows.key]
        if entity.hasSubentities {
            let names = entity.familyRange.map { index in
                "WHEN \(texts.numbers.number(of: index)) THEN"
                    + " \(texts.layout[index].name.sqlLiteral)"
            }
            columns.append(
                "CASE \(rows.entity) \(names.joined(separator: " ")) END AS \(rows.entity)")
        }
        columns.append(rows.version)
        var names = NamesInUse([rows.key, rows.entity, rows.version])
        for slot in entity.values {
            guard let column = slot.column else { continue }
            let name = Identifier(names.take(slot.name)).sql
            columns.append("\(Self.shown(column, slot.kind)) AS \(name)")
        }
        let numbers = entity.familyRange.map { "\(texts.numbers.number(of: $0))" }
        return "CREATE VIEW \(view) AS SELECT \(columns.joined(separator: ", "))"
            + " FROM \(entity.tableName)"
            + " WHERE \(rows.entity) IN (\(numbers.joined(separator: ", ")))"
    }

    /// The beginning of 2001 as a time of Unix, and the seconds that a timestamp can express.
    private static let reference = 978_307_200
    private static let (first, last) = (-210_000_000_000, 9_000_000_000_000)

    private static func shown(_ column: String, _ kind: CoreDataModel.ValueKind) -> String {
        guard kind == .date else { return column }
        return "CASE WHEN \(column) BETWEEN \(first) AND \(last)"
            + " THEN to_timestamp(\(column) + \(reference)) END"
    }
}
