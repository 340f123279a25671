import CoreData

/// The versions of the ledger's model.
enum LedgerModel: String, Codable, Sendable {
    case first, second

    /// Creates a new instance of the model.
    ///
    /// Compared with the first version, the second version renames `name`, adds two attributes and
    /// an entity, and drops `spare`.
    ///
    /// - Parameter hasExternalNotes: whether large notes are stored in files next to the store.
    func make(hasExternalNotes: Bool = false) -> NSManagedObjectModel {
        let (account, tag, entry) = (entity("Account"), entity("Tag"), entity("Entry"))
        let (accountTags, tagAccounts) = relationships("tags", tag, "accounts", account)
        let (accountEntries, entryAccount) = relationships("entries", entry, "account", account)
        accountEntries.isOrdered = true
        accountEntries.deleteRule = .cascadeDeleteRule
        entryAccount.maxCount = 1
        let note = attribute("note", .binaryDataAttributeType)
        note.allowsExternalBinaryDataStorage = hasExternalNotes
        account.properties = [
            attribute("serial", .integer64AttributeType), name(),
            attribute("amount", .integer64AttributeType),
            note, accountTags, accountEntries,
        ]
        tag.properties = [
            attribute("serial", .integer64AttributeType),
            attribute("label", .stringAttributeType), tagAccounts,
        ]
        entry.properties = [
            attribute("serial", .integer64AttributeType),
            attribute("text", .stringAttributeType), entryAccount,
        ]
        let model = NSManagedObjectModel()
        model.entities = [account, tag, entry]
        switch self {
        case .first: account.properties.append(attribute("spare", .stringAttributeType))
        case .second:
            let level = attribute("level", .integer32AttributeType)
            level.defaultValue = Self.level
            level.isOptional = false
            account.properties.append(level)
            tag.properties.append(attribute("color", .stringAttributeType))
            let audit = entity("Audit")
            audit.properties = [attribute("reason", .stringAttributeType)]
            model.entities.append(audit)
            model.knownVersions = [Self.first.make(hasExternalNotes: hasExternalNotes)]
        }
        return model
    }

    /// The default value of the attribute `level`, which only the second version has.
    static let level = 7
    /// The value of `level` after a mapped or a staged migration. Other migrations set the default
    /// value.
    static let mappedLevel = 8

    var nameKey: String { self == .first ? "name" : "title" }

    private func name() -> NSAttributeDescription {
        let name = attribute(nameKey, .stringAttributeType)
        if self == .second { name.renamingIdentifier = "name" }
        return name
    }

    private func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }

    private func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    private func relationships(
        _ name: String, _ destination: NSEntityDescription, _ inverse: String,
        _ owner: NSEntityDescription
    ) -> (NSRelationshipDescription, NSRelationshipDescription) {
        let (one, other) = (NSRelationshipDescription(), NSRelationshipDescription())
        (one.name, other.name) = (name, inverse)
        (one.destinationEntity, other.destinationEntity) = (destination, owner)
        for relationship in [one, other] {
            relationship.maxCount = 0
            relationship.isOptional = true
            relationship.deleteRule = .nullifyDeleteRule
        }
        (one.inverseRelationship, other.inverseRelationship) = (other, one)
        return (one, other)
    }
}
