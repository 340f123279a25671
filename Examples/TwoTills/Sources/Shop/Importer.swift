import CoreData

/// Imports a supplier's list into the shop. It finds the articles that exist, and creates the
/// missing ones.
public struct Importer {
    /// One line of the supplier's list.
    public struct Line: Sendable {
        let code: String
        let price: Int

        public init(code: String, price: Int) {
            self.code = code
            self.price = price
        }
    }

    private let stack: NSPersistentContainer
    private let own: NSManagedObjectContext
    private let policy: NSMergePolicy

    /// - Parameter policy: the merge policy. If codes are unique and another run has already saved
    ///   the article, it resolves the conflict.
    public init(_ stack: NSPersistentContainer, _ policy: NSMergePolicy = .error) {
        self.stack = stack
        self.policy = policy
        own = stack.newBackgroundContext()
    }

    /// Imports with a new context in each run.
    public func run(_ lines: [Line]) async throws {
        try await stack.performBackgroundTask { [policy] context in
            context.mergePolicy = policy
            try Self.findOrMake(lines, in: context)
        }
    }

    /// Imports with one context for all runs. The queue of the context runs them one after another.
    public func runInTurn(_ lines: [Line]) async throws {
        try await own.perform { [own] in try Self.findOrMake(lines, in: own) }
    }

    private static func findOrMake(
        _ lines: [Line], in context: NSManagedObjectContext
    ) throws {
        for line in lines {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Article")
            request.predicate = NSPredicate(format: "code == %@", line.code)
            let known = try context.fetch(request).first
            let article =
                known
                ?? NSEntityDescription.insertNewObject(forEntityName: "Article", into: context)
            article.setValue(line.code, forKey: "code")
            article.setValue(line.price, forKey: "price")
        }
        try context.save()
    }
}
