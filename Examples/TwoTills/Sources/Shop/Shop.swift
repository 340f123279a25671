import CoreData

/// The model of a shop, and how its rows are made and read.
public enum Shop {
    public static let model: NSManagedObjectModel = {
        let balance = NSAttributeDescription()
        balance.name = "balance"
        balance.attributeType = .integer64AttributeType
        balance.defaultValue = 0
        let account = NSEntityDescription()
        account.name = "Account"
        account.managedObjectClassName = "NSManagedObject"
        account.properties = [balance]
        let model = NSManagedObjectModel()
        model.entities = [account]
        return model
    }()

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
}
