import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Writes the keyed archive of a `.cdm`, with the fields that ``MappingModelFile`` reads.
struct MappingModelArchiver {
    private var archive = KeyedArchive()

    /// - Throws: 134060 for an expression that cannot be archived, such as a block.
    static func archive(_ mappings: [NSEntityMapping]) throws(CoreDataError) -> Data {
        var archiver = MappingModelArchiver()
        var written: [ArchiveValue] = []
        for mapping in mappings { written.append(try archiver.write(mapping)) }
        let root = archiver.archive.add(
            ["NSMappingModel", "NSObject"],
            [
                ("NSEntityMappings", archiver.archive.array(written)),
                (StoreMetadata.makerKey, archiver.archive.string(StoreMetadata.maker)),
            ])
        return archiver.archive.data(root: root)
    }

    private mutating func write(_ mapping: NSEntityMapping) throws(CoreDataError) -> ArchiveValue {
        let owner = mapping.name ?? ""
        var source = KeyedArchive.null
        if let expression = mapping.sourceExpression {
            source = archive.add(
                ["NSFetchRequestExpression", "NSExpression", "NSObject"],
                [
                    ("NSExpressionType", .integer(50)),
                    ("NSFRExpression", try write(expression, of: owner)),
                    ("NSMOCExpression", try write(Self.sourceContext, of: owner)),
                    ("NSFRIsCountOnly", .boolean(false)),
                ])
        }
        let attributes = try write(mapping.attributeMappings ?? [], of: owner)
        let relationships = try write(mapping.relationshipMappings ?? [], of: owner)
        let fields: [(key: String, value: ArchiveValue)] = [
            ("NSMappingName", archive.string(mapping.name)),
            ("NSMappingType", .integer(Int64(mapping.mappingType.rawValue))),
            ("NSSourceEntityName", archive.string(mapping.sourceEntityName)),
            ("NSSourceEntityVersionHash", data(mapping.sourceEntityVersionHash)),
            ("NSDestinationEntityName", archive.string(mapping.destinationEntityName)),
            ("NSDestinationEntityVersionHash", data(mapping.destinationEntityVersionHash)),
            ("NSAttributeMappings", attributes), ("NSRelationshipMappings", relationships),
            ("NSSourceExpression", source),
            (
                "NSEntityMigrationPolicyClassName",
                archive.string(mapping.entityMigrationPolicyClassName)
            ),
        ]
        return archive.add(["NSEntityMapping", "NSObject"], fields)
    }

    private static let sourceContext = NSExpression(
        node: .path(NSExpression(forVariable: NSMigrationManagerKey), ["sourceContext"]))

    private mutating func data(_ data: Data?) -> ArchiveValue {
        data.map { archive.add(.data($0)) } ?? KeyedArchive.null
    }

    private mutating func write(
        _ mappings: [NSPropertyMapping], of owner: String
    ) throws(CoreDataError) -> ArchiveValue {
        var written: [ArchiveValue] = []
        for mapping in mappings {
            var value = KeyedArchive.null
            if let expression = mapping.valueExpression {
                value = try write(expression, of: "\(owner).\(mapping.name ?? "")")
            }
            written.append(
                archive.add(
                    ["NSPropertyMapping", "NSObject"],
                    [
                        ("NSDestinationPropertyName", archive.string(mapping.name)),
                        ("NSValueExpression", value),
                    ]))
        }
        return archive.array(written)
    }

    private mutating func write(
        _ expression: NSExpression, of owner: String
    ) throws(CoreDataError) -> ArchiveValue {
        if let written = archive.expression(expression) { return written }
        throw CoreDataError(
            .invalidArgument,
            "The expression '\(expression)' of the mapping '\(owner)' cannot be archived. Use key"
                + " paths, constants, variables and functions.")
    }
}
