import CoreData
import LabRunner

/// Two sessions that sell from one account. Each has three operations, which read, change and save.
public enum Tills {
    /// Runs the tills under random schedules.
    ///
    /// - Parameters:
    ///   - isAsynchronous: whether each operation is awaited.
    ///   - schedules: the number of schedules.
    ///   - worlds: the number of schedules to run at the same time.
    public static func explore(
        isAsynchronous: Bool, schedules: Int, worlds: Int = 1
    ) throws -> CodeReport {
        let model = model()
        var options = Lab.Options(
            strategy: .random, limit: schedules, timeBudget: .seconds(600))
        options.fails = .nothing
        return try Lab.explore("two tills", worlds: worlds, options) { lab in
            let stack = try lab.stack(model: model)
            let id = try lab.setup { try account(in: stack) }
            for name in ["till", "desk"] {
                let context = stack.newBackgroundContext()
                context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                if isAsynchronous {
                    lab.session(name) { try await sell(id, context) }
                } else {
                    lab.session(name) { try context.performAndWait { try sell(id, context) } }
                }
            }
        }
    }

    private static func model() -> NSManagedObjectModel {
        let balance = NSAttributeDescription()
        balance.name = "balance"
        balance.attributeType = .integer64AttributeType
        let account = NSEntityDescription()
        account.name = "Account"
        account.properties = [balance]
        let model = NSManagedObjectModel()
        model.entities = [account]
        return model
    }

    private static func account(in stack: NSPersistentContainer) throws -> NSManagedObjectID {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            let account = NSEntityDescription.insertNewObject(
                forEntityName: "Account", into: context)
            account.setValue(10, forKey: "balance")
            try context.save()
            return account.objectID
        }
    }

    private static func sell(_ id: NSManagedObjectID, _ context: NSManagedObjectContext) throws {
        let account = try context.existingObject(with: id)
        account.setValue((account.value(forKey: "balance") as? Int ?? 0) + 5, forKey: "balance")
        try context.save()
    }

    private static func sell(
        _ id: NSManagedObjectID, _ context: NSManagedObjectContext
    ) async throws {
        let before = try await context.perform {
            try context.existingObject(with: id).value(forKey: "balance") as? Int ?? 0
        }
        try await context.perform {
            try context.existingObject(with: id).setValue(before + 5, forKey: "balance")
        }
        try await context.perform { try context.save() }
    }
}
