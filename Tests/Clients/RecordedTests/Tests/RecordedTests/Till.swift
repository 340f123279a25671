import CoreData
import Foundation

/// Two contexts withdraw from one account. One context can overwrite the change of the other one.
struct Till {
    static let model: NSManagedObjectModel = {
        let balance = NSAttributeDescription()
        (balance.name, balance.attributeType) = ("balance", .integer64AttributeType)
        let owner = NSAttributeDescription()
        (owner.name, owner.attributeType) = ("owner", .stringAttributeType)
        let account = NSEntityDescription()
        account.name = "Account"
        account.managedObjectClassName = "NSManagedObject"
        account.properties = [balance, owner]
        let model = NSManagedObjectModel()
        model.entities = [account]
        return model
    }()

    let container: NSPersistentContainer
    private let account: NSManagedObjectID

    init() throws {
        container = NSPersistentContainer(name: "Till", managedObjectModel: Self.model)
        let description = NSPersistentStoreDescription(
            url: FileManager.default.temporaryDirectory
                .appendingPathComponent("\(UUID().uuidString).sqlite"))
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        let context = container.newBackgroundContext()
        account = try context.performAndWait {
            let made = NSEntityDescription.insertNewObject(
                forEntityName: "Account", into: context)
            made.setValue(48_213, forKey: "balance")
            made.setValue("Ada Byron", forKey: "owner")
            try context.save()
            return made.objectID
        }
    }

    private func context(_ name: String) -> NSManagedObjectContext {
        let context = container.newBackgroundContext()
        context.name = name
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        return context
    }

    private func take(_ amount: Int, in context: NSManagedObjectContext) throws {
        try context.performAndWait {
            let account = try context.existingObject(with: account)
            let old = account.value(forKey: "balance") as? Int ?? 0
            account.setValue(old - amount, forKey: "balance")
        }
    }

    /// Both contexts read before one of them saves.
    func takeTogether() throws {
        let (till, sync) = (context("till"), context("sync"))
        try take(5, in: till)
        try take(7, in: sync)
        for context in [till, sync] { try context.performAndWait { try context.save() } }
    }

    func takeInTurn() throws {
        for (name, amount) in [("till", 5), ("sync", 7)] {
            let context = context(name)
            try take(amount, in: context)
            try context.performAndWait { try context.save() }
        }
    }

    func balance() throws -> Int {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            try context.existingObject(with: account).value(forKey: "balance") as? Int ?? 0
        }
    }
}
