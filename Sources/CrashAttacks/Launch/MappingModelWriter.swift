import CoreDataModel
import Foundation

/// Writes a compiled mapping model as a keyed archive.
struct MappingModelWriter {
    private var archive = KeyedArchive()

    /// The mapping model that migrates the ledger from the first to the second version of its
    /// model.
    static func ledger() -> Data {
        var writer = MappingModelWriter()
        let account = writer.entity(
            "Account", "Account",
            attributes: [("serial", "serial"), ("title", "name"), ("amount", "amount")]
                + [("note", "note")],
            constants: [("level", Int64(LedgerModel.mappedLevel))],
            relationships: [("tags", "Tag"), ("entries", "Entry")])
        let tag = writer.entity(
            "Tag", "Tag", attributes: [("serial", "serial"), ("label", "label")],
            constants: [("color", nil)], relationships: [("accounts", "Account")])
        let entry = writer.entity(
            "Entry", "Entry", attributes: [("serial", "serial"), ("text", "text")],
            relationships: [("account", "Account")])
        let audit = writer.entity(nil, "Audit", constants: [("reason", nil)])
        let mappings = writer.archive.array([account, tag, entry, audit])
        let root = writer.object("NSMappingModel", [("NSEntityMappings", mappings)])
        return writer.archive.data(root: root)
    }

    private mutating func object(
        _ name: String, _ fields: [(key: String, value: ArchiveValue)]
    ) -> ArchiveValue {
        archive.add([name, "NSObject"], fields)
    }

    /// - Parameters:
    ///   - attributes: the name of each attribute, and its name in the source entity.
    ///   - relationships: the name of each relationship (the same in both entities), and its
    ///     destination entity.
    private mutating func entity(
        _ source: String?, _ destination: String, attributes: [(String, String)] = [],
        constants: [(String, Int64?)] = [], relationships: [(String, String)] = []
    ) -> ArchiveValue {
        let plain = attributes.map { name, old in property(name, value(old)) }
        let fixed = constants.map { name, number in property(name, number.map { constant($0) }) }
        let links = relationships.map { name, entity in property(name, partners(name, entity)) }
        return object(
            "NSEntityMapping",
            [
                ("NSMappingName", archive.string(Self.name(destination))),
                ("NSSourceEntityName", archive.string(source)),
                ("NSDestinationEntityName", archive.string(destination)),
                // Type 2 adds a new entity. Type 5 transforms the objects of an entity.
                ("NSMappingType", archive.add(.integer(source == nil ? 2 : 5))),
                ("NSAttributeMappings", archive.array(plain + fixed)),
                ("NSRelationshipMappings", archive.array(links)),
            ])
    }

    private static func name(_ destination: String) -> String { "To\(destination)" }

    private mutating func property(_ name: String, _ value: ArchiveValue?) -> ArchiveValue {
        object(
            "NSPropertyMapping",
            [
                ("NSDestinationPropertyName", archive.string(name)),
                ("NSValueExpression", value ?? KeyedArchive.null),
            ])
    }

    private mutating func constant(_ number: Int64) -> ArchiveValue {
        constant(archive.add(.integer(number)))
    }

    private mutating func constant(_ value: ArchiveValue) -> ArchiveValue {
        object("NSConstantValueExpression", [("NSConstantValue", value)])
    }

    private mutating func variable(_ name: String) -> ArchiveValue {
        object("NSVariableExpression", [("NSVariable", archive.string(name))])
    }

    /// `$source.name`
    private mutating func value(_ name: String) -> ArchiveValue {
        let path = object(
            "NSKeyPathSpecifierExpression", [("NSKeyPath", archive.string(name))])
        return call("NSKeyPathExpression", variable("source"), "valueForKeyPath:", [path])
    }

    private mutating func partners(_ name: String, _ entity: String) -> ArchiveValue {
        let mapping = constant(archive.string(Self.name(entity)))
        return call(
            "NSFunctionExpression", variable("manager"),
            "destinationInstancesForEntityMappingNamed:sourceInstances:", [mapping, value(name)])
    }

    private mutating func call(
        _ type: String, _ operand: ArchiveValue, _ selector: String, _ arguments: [ArchiveValue]
    ) -> ArchiveValue {
        object(
            type,
            [
                ("NSSelectorName", archive.string(selector)), ("NSOperand", operand),
                ("NSArguments", archive.array(arguments)),
            ])
    }
}
