import CoreData
import LabRunner
import Testing

/// Setting a property to its old value is not a change, so it cannot be a lost update.
@Suite struct UnchangedValuesTests {
    enum Other: CaseIterable {
        case adds, deletes, deletesPastContexts
    }

    @Test(arguments: Other.allCases, [Lab.Strategy.exhaustive, .reduced])
    func `setting a value to its old value loses nothing`(
        _ other: Other, _ strategy: Lab.Strategy
    ) throws {
        let report = try explore(other, strategy) { balance in balance }
        #expect(report.isComplete)
        #expect(report.findings == [:])
    }

    /// Here the new value differs from the old one, so the lab reports a lost update.
    @Test(arguments: Other.allCases, [Lab.Strategy.exhaustive, .reduced])
    func `setting another value is a lost update`(
        _ other: Other, _ strategy: Lab.Strategy
    ) throws {
        let report = try explore(other, strategy) { balance in balance + 1 }
        #expect(report.isComplete)
        #expect(report.findings[other == .adds ? "lost update" : "ghost update"] != nil)
    }

    /// An accessor of type `Bool` reads nil as false. An accessor of type `Bool?` reads nil.
    @Test(arguments: Other.allCases, [false, true])
    func `a flag that is read as false and set to false is not a change`(
        _ other: Other, isOptional: Bool
    ) throws {
        var options = Lab.Options.unhurried(strategy: .exhaustive, limit: 20_000)
        options.fails = .nothing
        let report = try Lab.explore("flag", options) { lab in
            let stack = try lab.stack(model: Self.tasks)
            let id = try lab.setup { try Self.task(in: stack) }
            let editor = stack.newBackgroundContext()
            editor.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            lab.session("editor", on: editor) { editor in
                guard let task = try? editor.existingObject(with: id) else { return }
                let isDone: Bool = task.managedValue(Self.isDone)
                if isOptional {
                    task.setManagedValue(Self.isDone, Optional(isDone))
                } else {
                    task.setManagedValue(Self.isDone, isDone)
                }
                try editor.save()
            }
            let context = stack.newBackgroundContext()
            lab.session("other", on: context) { context in
                let task = context.object(with: id)
                switch other {
                case .adds: task.setManagedValue(Self.isDone, true)
                case .deletes: context.delete(task)
                case .deletesPastContexts:
                    try context.execute(NSBatchDeleteRequest(objectIDs: [id]))
                }
                do { try context.save() } catch { context.rollback() }
            }
        }
        #expect(report.isComplete)
        #expect(report.findings.isEmpty != isOptional, "\(report.findings)")
    }

    private static let isDone = ManagedKey("isDone")

    private static let tasks: NSManagedObjectModel = {
        let isDone = NSAttributeDescription()
        isDone.name = "isDone"
        isDone.attributeType = .booleanAttributeType
        let task = NSEntityDescription()
        task.name = "Task"
        task.properties = [isDone]
        let model = NSManagedObjectModel()
        model.entities = [task]
        return model
    }()

    private static func task(in stack: NSPersistentContainer) throws -> NSManagedObjectID {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            let task = NSEntityDescription.insertNewObject(forEntityName: "Task", into: context)
            try context.save()
            return task.objectID
        }
    }

    private func explore(
        _ other: Other, _ strategy: Lab.Strategy, _ change: @escaping @Sendable (Int) -> Int
    ) throws -> CodeReport {
        var options = Lab.Options.unhurried(strategy: strategy, limit: 20_000)
        options.fails = .nothing
        return try Lab.explore("unchanged", options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            let editor = stack.newBackgroundContext()
            editor.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            lab.session("editor", on: editor) { editor in
                guard let account = try? editor.existingObject(with: id) else { return }
                account.setValue(change(account.integer("balance")), forKey: "balance")
                try editor.save()
            }
            let context = stack.newBackgroundContext()
            lab.session("other", on: context) { context in
                switch other {
                case .adds: context.add(5, to: "balance", of: id)
                case .deletes: context.delete(context.object(with: id))
                case .deletesPastContexts:
                    try context.execute(NSBatchDeleteRequest(objectIDs: [id]))
                }
                // The save fails if the editor has saved first.
                do { try context.save() } catch { context.rollback() }
            }
        }
    }
}
