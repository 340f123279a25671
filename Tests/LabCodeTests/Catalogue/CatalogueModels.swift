import CoreData

/// The models of the scenarios that are also written as code.
enum CatalogueModels {
    static let account = make([
        entity("Account", [text("name"), number("balance", 0)])
    ])
    static let card = make([
        entity("Card", [text("name"), text("home"), text("both"), text("rest")])
    ])
    static let session = make([
        entity("Session", [uuid("id"), text("app"), text("os")], unique: ["id"])
    ])
    static let event = make([
        entity("Event", [uuid("id"), text("note")], unique: ["id"]),
        entity("Account", [text("name"), number("balance", 0)]),
    ])
    static let item = make([entity("Item", [number("id", 0), text("title")])])
    static let printer = make([
        entity("Printer", [text("name"), flag("sdSupport"), text("recordName")])
    ])
    static let owned = linked(
        entity("Card", [text("name")]), "owner", entity("Person", [text("name")]), "cards")
    static let list = linked(
        entity("Item", [text("name")]), "list", entity("List", [text("name")]), "items")
    static let country = linked(
        entity("Mood", [text("note")]), "country",
        entity("Country", [text("name"), number("moodCount", 0, .integer32AttributeType)]), "moods",
        rule: .cascadeDeleteRule)
    static let author = linked(
        entity("Book", [text("title")]), "author",
        entity("Author", [text("name", "")], unique: ["name"]), "books")
    static let desk = linked(
        entity("Person", [text("name")]), "desk", entity("Desk", [text("name")]), "person",
        isOneToOne: true)

    // MARK: Making

    private static func make(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    private static func entity(
        _ name: String, _ attributes: [NSAttributeDescription], unique: [String] = []
    ) -> NSEntityDescription {
        let made = NSEntityDescription()
        made.name = name
        made.managedObjectClassName = "NSManagedObject"
        made.properties = attributes
        if !unique.isEmpty { made.uniquenessConstraints = [unique] }
        return made
    }

    private static func linked(
        _ one: NSEntityDescription, _ key: String, _ other: NSEntityDescription, _ inverse: String,
        rule: NSDeleteRule = .nullifyDeleteRule, isOneToOne: Bool = false
    ) -> NSManagedObjectModel {
        let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
        there.name = key
        there.destinationEntity = other
        there.maxCount = 1
        there.inverseRelationship = back
        back.name = inverse
        back.destinationEntity = one
        back.maxCount = isOneToOne ? 1 : 0
        back.deleteRule = rule
        back.inverseRelationship = there
        one.properties += [there]
        other.properties += [back]
        return make([one, other])
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, _ value: Any?
    ) -> NSAttributeDescription {
        let made = NSAttributeDescription()
        made.name = name
        made.attributeType = type
        made.defaultValue = value
        made.isOptional = value == nil
        return made
    }

    private static func text(_ name: String, _ value: String? = nil) -> NSAttributeDescription {
        attribute(name, .stringAttributeType, value)
    }

    private static func number(
        _ name: String, _ value: Int, _ type: NSAttributeType = .integer64AttributeType
    ) -> NSAttributeDescription {
        attribute(name, type, value)
    }

    private static func flag(_ name: String) -> NSAttributeDescription {
        attribute(name, .booleanAttributeType, false)
    }

    private static func uuid(_ name: String) -> NSAttributeDescription {
        attribute(name, .UUIDAttributeType, nil)
    }
}
