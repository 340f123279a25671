import CoreData

/// Imports the headlines of several feeds concurrently into one store.
public struct NewsDesk: Sendable {
    public let container: NSPersistentContainer

    /// - Parameter url: the store's file; nil for an in-memory store.
    @MainActor public init(at url: URL? = nil) throws {
        container = NSPersistentContainer(
            name: "Headlines", managedObjectModel: HeadlineModel.shared)
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: url ?? URL(fileURLWithPath: "/dev/null"))
        ]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        container.viewContext.automaticallyMergesChangesFromParent = true
    }

    /// Imports each feed in a separate task.
    ///
    /// - Parameter feeds: the headlines of each feed, by the feed's name.
    /// - Returns: the ids of the headlines. Unlike objects, ids may be sent to the main actor.
    public func importAll(_ feeds: [String: [String]]) async throws -> Set<NSManagedObjectID> {
        try await withThrowingTaskGroup(of: [NSManagedObjectID].self) { group in
            for (feed, texts) in feeds {
                group.addTask { try await importOne(feed, texts) }
            }
            return try await group.reduce(into: []) { $0.formUnion($1) }
        }
    }

    /// If two feeds have the same headline, the store has one row for it. The uniqueness constraint
    /// detects the row that the other task has saved. The merge policy then writes the new values
    /// into that row.
    private func importOne(_ feed: String, _ texts: [String]) async throws -> [NSManagedObjectID] {
        try await container.performBackgroundTask { context in
            context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
            for text in texts {
                let headline = Headline(context: context)
                headline.text = text
                headline.feed = feed
            }
            try context.save()
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Headline")
            request.resultType = .managedObjectIDResultType
            request.predicate = NSPredicate(format: "text IN %@", texts as CVarArg)
            return try context.fetch(request)
        }
    }

    /// Increments the number of times that the headline was seen. Concurrent calls lose no
    /// increment.
    public func markSeen(_ id: NSManagedObjectID) async throws {
        while true {
            do {
                return try await container.performBackgroundTask { context in
                    guard let headline = try context.existingObject(with: id) as? Headline
                    else { return }
                    headline.timesSeen += 1
                    try context.save()
                }
            } catch CocoaError.managedObjectMerge {
                // Another task has saved a new count in the meantime. This task reads the new count
                // and increments it.
                continue
            }
        }
    }
}
