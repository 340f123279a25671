import CoreData
import Foundation

/// The model and the operations of a shop's app.
enum Shop {
    static let model: NSManagedObjectModel = {
        func attribute(
            _ name: String, _ type: NSAttributeType, _ value: Any? = nil
        ) -> NSAttributeDescription {
            let made = NSAttributeDescription()
            made.name = name
            made.attributeType = type
            made.defaultValue = value
            made.isOptional = value == nil
            return made
        }
        let account = NSEntityDescription()
        account.name = "Account"
        account.managedObjectClassName = "NSManagedObject"
        account.properties = [
            attribute("balance", .integer64AttributeType, 0),
            attribute("name", .stringAttributeType),
        ]
        let item = NSEntityDescription()
        item.name = "Item"
        item.managedObjectClassName = "NSManagedObject"
        item.properties = [attribute("code", .stringAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [account, item]
        return model
    }()

    static func account(balance: Int, in stack: NSPersistentContainer) throws -> NSManagedObjectID {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            let account = NSEntityDescription.insertNewObject(
                forEntityName: "Account", into: context)
            account.setValue(balance, forKey: "balance")
            try context.save()
            return account.objectID
        }
    }

    static func balance(of id: NSManagedObjectID, in stack: NSPersistentContainer) throws -> Int {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            try context.existingObject(with: id).value(forKey: "balance") as? Int ?? -1
        }
    }

    static func count(_ entity: String, in stack: NSPersistentContainer) throws -> Int {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
        }
    }

    static func add(
        _ amount: Int, to id: NSManagedObjectID, in context: NSManagedObjectContext
    ) throws {
        try context.performAndWait {
            let account = try context.existingObject(with: id)
            let balance = account.value(forKey: "balance") as? Int ?? 0
            account.setValue(balance + amount, forKey: "balance")
            try context.save()
        }
    }

    /// Finds the item with a code, or creates it.
    static func importItem(_ code: String, in context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: "code == %@", code)
        if try context.fetch(request).isEmpty {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(code, forKey: "code")
            try context.save()
        }
    }
}
