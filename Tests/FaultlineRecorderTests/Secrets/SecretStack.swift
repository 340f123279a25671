import CoreData
import Foundation

/// A stack whose model has attributes of every kind. Defaults, rules, templates and user info are
/// confidential.
struct SecretStack {
    static let kinds: [(name: String, type: NSAttributeType)] = [
        ("flag", .booleanAttributeType), ("small", .integer32AttributeType),
        ("whole", .integer64AttributeType), ("double", .doubleAttributeType),
        ("float", .floatAttributeType), ("exact", .decimalAttributeType),
        ("text", .stringAttributeType), ("code", .stringAttributeType),
        ("day", .dateAttributeType), ("serial", .UUIDAttributeType),
        ("page", .URIAttributeType), ("seal", .binaryDataAttributeType),
        ("picture", .binaryDataAttributeType), ("list", .transformableAttributeType),
        ("place", .compositeAttributeType), ("upper", .stringAttributeType),
        ("passing", .stringAttributeType), ("given", .stringAttributeType),
        ("givenNumber", .integer64AttributeType), ("givenDay", .dateAttributeType),
    ]

    let container: NSPersistentContainer
    var coordinator: NSPersistentStoreCoordinator { container.persistentStoreCoordinator }

    init(_ markers: inout Markers) throws {
        container = NSPersistentContainer(
            name: "Secrets", managedObjectModel: Self.model(&markers))
        let folder = Stacks.folder().appendingPathComponent(markers.text("path"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let description = NSPersistentStoreDescription(
            url: folder.appendingPathComponent("\(markers.text("path")).sqlite"))
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        if let store = coordinator.persistentStores.first {
            coordinator.setMetadata(["owner": markers.text("metadata")], for: store)
        }
    }

    // MARK: The model

    private static func model(_ markers: inout Markers) -> NSManagedObjectModel {
        let thing = NSEntityDescription()
        thing.name = "Thing"
        thing.managedObjectClassName = "NSManagedObject"
        thing.userInfo = ["note": markers.text("user info")]
        var attributes = kinds.map { attribute($0.name, $0.type) }
        let (parts, whole) = (NSRelationshipDescription(), NSRelationshipDescription())
        (parts.name, whole.name) = ("parts", "wholeThing")
        (parts.destinationEntity, whole.destinationEntity) = (thing, thing)
        (parts.maxCount, whole.maxCount) = (0, 1)
        (parts.inverseRelationship, whole.inverseRelationship) = (whole, parts)
        for made in attributes {
            switch made.name {
            case "given": made.defaultValue = markers.text("default")
            case "givenNumber":
                made.defaultValue = markers.whole(100_000_000...999_999_999, "default")
            case "givenDay": made.defaultValue = markers.date()
            case "code":
                made.setValidationPredicates(
                    [NSPredicate(format: "SELF != %@", markers.text("rule"))],
                    withValidationWarnings: [markers.text("warning")])
            default: break
            }
        }
        attributes.sort { $0.name < $1.name }
        thing.properties = attributes + [parts, whole]
        thing.uniquenessConstraints = [["code"]]
        let model = NSManagedObjectModel()
        model.entities = [thing]
        let template = NSFetchRequest<any NSFetchRequestResult>(entityName: "Thing")
        template.predicate = NSPredicate(format: "text == %@", markers.text("template"))
        model.setFetchRequestTemplate(template, forName: "marked")
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription
    {
        let made: NSAttributeDescription
        switch name {
        case "upper":
            let derived = NSDerivedAttributeDescription()
            derived.derivationExpression = NSExpression(format: "uppercase:(text)")
            made = derived
        case "place":
            let composite = NSCompositeAttributeDescription()
            composite.elements = [
                attribute("street", .stringAttributeType),
                attribute("number", .integer64AttributeType),
            ]
            made = composite
        default: made = NSAttributeDescription()
        }
        (made.name, made.attributeType, made.isOptional) = (name, type, true)
        made.isTransient = name == "passing"
        made.allowsExternalBinaryDataStorage = name == "picture"
        return made
    }

    // MARK: Values

    /// A value for each attribute that a program sets.
    static func values(_ markers: inout Markers) -> [String: Any] {
        [
            "flag": true, "small": markers.whole(100_000_000...999_999_999),
            "whole": markers.whole(1_000_000_000...99_999_999_999), "double": markers.double(),
            "float": Float(markers.whole(1_000_001...9_999_999, "float")),
            "exact": markers.decimal(), "text": markers.text(), "code": markers.text("unique"),
            "day": markers.date(), "serial": markers.uuid(), "page": markers.url(),
            "seal": markers.data(), "picture": markers.data(200_000),
            "list": [markers.text("transformable")] as NSArray,
            "place": [
                "street": markers.text("composite"),
                "number": markers.whole(100_000_000...999_999_999, "composite"),
            ] as [String: Any],
            "passing": markers.text("transient"), "given": markers.text(),
            "givenNumber": markers.whole(100_000_000...999_999_999), "givenDay": markers.date(),
        ]
    }

    /// A constant for use in a predicate.
    static func constant(_ name: String, _ markers: inout Markers) -> Any? {
        values(&markers)[name]
    }
}
