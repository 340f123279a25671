import CoreData

/// A till that reads an account, adds the amount of a sale, and saves.
public struct Till {
    private let context: NSManagedObjectContext

    public init(_ context: NSManagedObjectContext) { self.context = context }

    /// Adds a sale. The merge policy resolves a conflict with the save of another till.
    public func sell(_ account: NSManagedObjectID, _ amount: Int) throws {
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try add(amount, to: account)
            try context.save()
        }
    }

    /// Adds a sale. After a conflict, reads the account again and adds to the new value.
    public func sellAgain(_ account: NSManagedObjectID, _ amount: Int) throws {
        try context.performAndWait {
            while true {
                try add(amount, to: account)
                do { return try context.save() } catch CocoaError.managedObjectMerge {
                    context.rollback()
                    context.refreshAllObjects()
                }
            }
        }
    }

    private func add(_ amount: Int, to account: NSManagedObjectID) throws {
        let object = try context.existingObject(with: account)
        let balance = object.value(forKey: "balance") as? Int ?? 0
        object.setValue(balance + amount, forKey: "balance")
    }
}
