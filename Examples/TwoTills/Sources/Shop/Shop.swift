import CoreData

/// The model of a shop, and functions that create and read its rows.
public enum Shop {
    public static let model = makeModel(codesAreUnique: false)

    /// - Parameter codesAreUnique: whether the store refuses a second article with the same code.
    public static func makeModel(codesAreUnique: Bool) -> NSManagedObjectModel {
        let article = entity(
            "Article",
            [
                attribute("code", .stringAttributeType),
                attribute("price", .integer64AttributeType),
            ])
        if codesAreUnique { article.uniquenessConstraints = [["code"]] }
        let model = NSManagedObjectModel()
        model.entities = [
            entity("Account", [attribute("balance", .integer64AttributeType)]), article,
        ]
        return model
    }

    private static func entity(
        _ name: String, _ properties: [NSPropertyDescription]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        entity.properties = properties
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    public static func account(
        balance: Int, in stack: NSPersistentContainer
    ) throws -> NSManagedObjectID {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            let account = NSEntityDescription.insertNewObject(
                forEntityName: "Account", into: context)
            account.setValue(balance, forKey: "balance")
            try context.save()
            return account.objectID
        }
    }

    public static func balance(
        of id: NSManagedObjectID, in stack: NSPersistentContainer
    ) throws -> Int {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            try context.existingObject(with: id).value(forKey: "balance") as? Int ?? 0
        }
    }

    /// The number of articles.
    public static func articles(in stack: NSPersistentContainer) throws -> Int {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Article"))
        }
    }
}
