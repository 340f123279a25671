import CoreData

/// Background work is asynchronous, and contexts exchange ids.
struct Planner: Sendable {
    let container: NSPersistentContainer

    init(folder: URL) throws {
        container = NSPersistentContainer(name: "Plans", managedObjectModel: Model.make())
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appendingPathComponent("Plans.sqlite"))
        ]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
    }

    func add(_ name: String, steps: [String]) async throws -> NSManagedObjectID {
        try await container.performBackgroundTask { context in
            let plan = Plan(context: context)
            plan.name = name
            for title in steps {
                let step = Step(context: context)
                step.title = title
                step.plan = plan
            }
            try context.save()
            return plan.objectID
        }
    }

    func finish(_ title: String, of plan: NSManagedObjectID) async throws {
        let context = container.newBackgroundContext()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try await context.perform {
            let request = NSFetchRequest<Step>(entityName: "Step")
            request.predicate = NSPredicate(
                format: "title == %@ AND plan == %@", title, context.object(with: plan))
            for step in try context.fetch(request) { step.isDone = true }
            try context.save()
        }
    }

    func open() async throws -> [String] {
        let context = container.newBackgroundContext()
        return try await context.perform {
            let request = NSFetchRequest<Step>(entityName: "Step")
            request.predicate = NSPredicate(format: "done == NO OR done == nil")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            return try context.fetch(request).compactMap(\.title)
        }
    }

    @MainActor func namesOnMain() throws -> [String] {
        let request = NSFetchRequest<Plan>(entityName: "Plan")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try container.viewContext.fetch(request).compactMap(\.name)
    }
}
