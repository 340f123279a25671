// Owns writing the mapping model between the ledger's two versions, as Xcode's compiler would, so
// that a migration by it can be had without Xcode.

import Foundation

/// Makes a compiled mapping model.
enum MappingModelWriter {
    /// The archive for the ledger.
    static func ledger() -> Data {
        let account = entity(
            "Account", "Account", attributes: ["serial": "serial", "title": "name",
                "amount": "amount", "note": "note"],
            constants: ["level": NSNumber(value: LedgerModel.level)],
            relationships: ["tags": "Tag", "entries": "Entry"])
        let tag = entity(
            "Tag", "Tag", attributes: ["serial": "serial", "label": "label"],
            constants: ["color": nil], relationships: ["accounts": "Account"])
        let entry = entity(
            "Entry", "Entry", attributes: ["serial": "serial", "text": "text"], constants: [:],
            relationships: ["account": "Account"])
        let audit = entity(
            nil, "Audit", attributes: [:], constants: ["reason": nil], relationships: [:])
        let root = ArchivedMappingModel(
            ["NSEntityMappings": NSArray(array: [account, tag, entry, audit])])
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        for archived in Archived.all {
            archiver.setClassName(archived.archivedName, for: archived)
        }
        archiver.encode(root, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    private static func entity(
        _ source: String?, _ destination: String, attributes: [String: String],
        constants: [String: NSNumber?], relationships: [String: String]
    ) -> Archived {
        let plain = attributes.sorted { $0.key < $1.key }.map { property($0.key, value($0.value)) }
        let fixed = constants.sorted { $0.key < $1.key }.map { name, value in
            property(name, value.map { constant($0) })
        }
        let links = relationships.sorted { $0.key < $1.key }.map { name, entity in
            property(name, partners(name, entity))
        }
        var fields: [String: Any] = [
            "NSMappingName": name(destination), "NSDestinationEntityName": destination as NSString,
            // An entity that is new, and one whose objects are made anew.
            "NSMappingType": NSNumber(value: source == nil ? 2 : 5),
            "NSAttributeMappings": NSArray(array: plain + fixed),
            "NSRelationshipMappings": NSArray(array: links),
        ]
        if let source { fields["NSSourceEntityName"] = source as NSString }
        return ArchivedEntityMapping(fields)
    }

    private static func name(_ destination: String) -> NSString { "To\(destination)" as NSString }

    private static func property(_ name: String, _ value: Archived?) -> Archived {
        var fields: [String: Any] = ["NSDestinationPropertyName": name as NSString]
        if let value { fields["NSValueExpression"] = value }
        return ArchivedPropertyMapping(fields)
    }

    private static func constant(_ value: Any) -> Archived {
        ArchivedConstant(["NSConstantValue": value])
    }

    /// `$source.name`
    private static func value(_ name: String) -> Archived {
        ArchivedKeyPath([
            "NSSelectorName": "valueForKeyPath:" as NSString,
            "NSOperand": ArchivedVariable(["NSVariable": "source" as NSString]),
            "NSArguments": NSArray(array: [ArchivedKeyPathText(["NSKeyPath": name as NSString])]),
        ])
    }

    /// The objects that the partners of the source object became.
    private static func partners(_ name: String, _ entity: String) -> Archived {
        ArchivedFunction([
            "NSSelectorName":
                "destinationInstancesForEntityMappingNamed:sourceInstances:" as NSString,
            "NSOperand": ArchivedVariable(["NSVariable": "manager" as NSString]),
            "NSArguments": NSArray(array: [constant(self.name(entity)), value(name)]),
        ])
    }
}

/// An object of an archive: a class's name, and fields.
///
/// An archiver names classes, so each name needs a class of its own.
class Archived: NSObject, NSCoding {
    private let fields: [String: Any]
    class var archivedName: String { "NSObject" }

    static let all: [Archived.Type] = [
        ArchivedMappingModel.self, ArchivedEntityMapping.self, ArchivedPropertyMapping.self,
        ArchivedConstant.self, ArchivedVariable.self, ArchivedKeyPathText.self,
        ArchivedKeyPath.self, ArchivedFunction.self,
    ]

    init(_ fields: [String: Any]) { self.fields = fields }

    required init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        for (name, value) in fields { coder.encode(value, forKey: name) }
    }
}

final class ArchivedMappingModel: Archived {
    override class var archivedName: String { "NSMappingModel" }
}
final class ArchivedEntityMapping: Archived {
    override class var archivedName: String { "NSEntityMapping" }
}
final class ArchivedPropertyMapping: Archived {
    override class var archivedName: String { "NSPropertyMapping" }
}
final class ArchivedConstant: Archived {
    override class var archivedName: String { "NSConstantValueExpression" }
}
final class ArchivedVariable: Archived {
    override class var archivedName: String { "NSVariableExpression" }
}
final class ArchivedKeyPathText: Archived {
    override class var archivedName: String { "NSKeyPathSpecifierExpression" }
}
final class ArchivedKeyPath: Archived {
    override class var archivedName: String { "NSKeyPathExpression" }
}
final class ArchivedFunction: Archived {
    override class var archivedName: String { "NSFunctionExpression" }
}
