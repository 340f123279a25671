import CoreDataModel
import CoreDataSQLite
import Foundation

/// Builds a model from the tables of a store, because stores of old systems contain no model.
///
/// Entities keep their names and their hierarchy. Properties have the names of their columns in
/// lower case. They belong to the root entity, because a table contains no further information.
/// Relationships become integers.
enum SchemaModel {
    /// - Returns: nil if the file has no table of entities.
    static func read(_ connection: Connection) throws -> NSManagedObjectModel? {
        let entities = try self.entities(connection)
        guard !entities.isEmpty else { return nil }
        for (parent, description) in entities.values where parent == 0 {
            description.properties = try attributes(of: description, connection)
        }
        for (parent, description) in entities.values {
            if let superentity = entities[parent]?.description {
                superentity.subentities.append(description)
            }
        }
        let model = NSManagedObjectModel()
        model.entities = entities.sorted { $0.key < $1.key }.map(\.value.description)
        return model
    }

    private static func entities(
        _ connection: Connection
    ) throws -> [Int64: (parent: Int64, description: NSEntityDescription)] {
        let statement = try connection.statement("SELECT Z_ENT, Z_SUPER, Z_NAME FROM Z_PRIMARYKEY")
        defer { statement.finish() }
        var entities: [Int64: (parent: Int64, description: NSEntityDescription)] = [:]
        while try statement.step() {
            let name = statement.text(2)
            // Higher numbers identify internal entities, such as those of the history.
            guard statement.integer(0) < 16000 else { continue }
            let description = NSEntityDescription()
            description.name = name
            description.managedObjectClassName = "NSManagedObject"
            entities[statement.integer(0)] = (statement.integer(1), description)
        }
        return entities
    }

    private static func attributes(
        of root: NSEntityDescription, _ connection: Connection
    ) throws -> [NSAttributeDescription] {
        let table = "Z\((root.name ?? "").uppercased())"
        let statement = try connection.statement(
            "SELECT name, type FROM pragma_table_info('\(table)')")
        defer { statement.finish() }
        var attributes: [NSAttributeDescription] = []
        while try statement.step() {
            let column = statement.text(0)
            // All other columns are internal: keys, versions, positions, and the entities of
            // destinations.
            guard let first = column.dropFirst().first, column.hasPrefix("Z"), first.isLetter,
                let type = types[statement.text(1).uppercased()]
            else { continue }
            let attribute = NSAttributeDescription()
            attribute.name = column.dropFirst().lowercased()
            attribute.attributeType = type
            attribute.isOptional = true
            attributes.append(attribute)
        }
        return attributes
    }

    private static let types: [String: NSAttributeType] = [
        "INTEGER": .integer64AttributeType, "VARCHAR": .stringAttributeType,
        "TIMESTAMP": .dateAttributeType, "FLOAT": .doubleAttributeType,
        "DECIMAL": .decimalAttributeType, "BLOB": .binaryDataAttributeType,
    ]
}
